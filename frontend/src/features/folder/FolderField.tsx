import Folder from "lucide-solid/icons/folder";
import FolderOpen from "lucide-solid/icons/folder-open";
import { createSignal, type JSX } from "solid-js";
import { text } from "../../i18n";
import { baseName, tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Picker } from "../choices/Picker";
import { FolderDialog } from "./FolderDialog";
import { recentFolders } from "./recent";
import { Faults, type Fault } from "../../ui/field";

/** A recent folder, or any other. */
export function FolderField(props: {
  value: string;
  faults: readonly Fault[];
  /** The purpose of the folder, for the dialog to choose another one. */
  about: string;
  onChange: (folder: string) => void;
}): JSX.Element {
  const { state } = useApp();
  const [browsing, setBrowsing] = createSignal(false);
  const words = () => text().folder.field;
  const home = () => state.info?.home ?? "";
  const nameOf = (path: string) => Object.values(state.workspaces).find((w) => w.path === path)?.title || baseName(path);
  return (
    <div data-slot="field">
      <span data-slot="label" aria-hidden="true">
        {words().name}
      </span>
      <Picker
        look="field"
        label={words().name}
        text={props.value ? tilde(props.value, home()) : words().none}
        icon={<Folder size={16} />}
        groups={[
          {
            choices: recentFolders(state, props.value).map((path) => ({ id: path, name: nameOf(path), about: tilde(path, home()) })),
            value: props.value,
            onChange: (path) => props.onChange(path),
          },
        ]}
      />
      <Button variant="ghost" size="small" data-slot="browse" data-edge="start" onClick={() => setBrowsing(true)}>
        <FolderOpen size={16} />
        {words().other}
      </Button>
      <Faults faults={props.faults} />
      <FolderDialog
        open={browsing()}
        onOpenChange={setBrowsing}
        title={words().choose}
        description={props.about}
        onChoose={async (path) => props.onChange(path)}
      />
    </div>
  );
}
