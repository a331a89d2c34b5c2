import Pencil from "lucide-solid/icons/pencil";
import Trash from "lucide-solid/icons/trash";
import { type JSX, Show } from "solid-js";
import type { ChatMapping } from "../../host/border.gen";
import { text } from "../../i18n";
import { tilde } from "../../lib/path";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { ChoicePickers, noChoices } from "../choices/ChoicePickers";
import { FolderField } from "../folder/FolderField";
import { mappingFault } from "./config";

/** A channel and the folder its sessions start in. */
export function MappingRow(props: {
  mapping: ChatMapping;
  name: string;
  direct?: boolean;
  open: boolean;
  onOpen: (open: boolean) => void;
  onChange: (next: Partial<ChatMapping>) => void;
  onRemove: () => void;
}): JSX.Element {
  const { state } = useApp();
  const words = () => text().chat.channels;
  const one = () => props.mapping;
  let root: HTMLLIElement | undefined;
  const settings = () => {
    const own = Object.values(state.workspaces).find((w) => w.path === one().folder)?.defaults;
    const usual = state.info?.settings;
    return { model: own?.model || usual?.model || "", effort: own?.effort ?? "", permissionMode: own?.permissionMode || usual?.permissionMode || "" };
  };
  function done(): void {
    props.onOpen(false);
    queueMicrotask(() => root?.querySelector<HTMLElement>("[data-edit]")?.focus());
  }
  return (
    <li ref={root} data-open={props.open || undefined}>
      <div data-slot="row">
        <div data-slot="what">
          <strong>
            <bdi>
              <ExactText text={props.name} />
            </bdi>
          </strong>
          <p data-slot={one().folder ? "aside" : "invalid"}>
            <bdi>{one().folder ? tilde(one().folder, state.info?.home ?? "") : words().noFolder}</bdi>
            <Show when={one().mention}> · {words().mentionShort}</Show>
          </p>
        </div>
        <div data-slot="acts">
          <IconButton label={words().edit(props.name)} data-edit="" aria-expanded={props.open} onClick={() => props.onOpen(!props.open)}>
            <Pencil size={15} />
          </IconButton>
          <IconButton label={words().remove(props.name)} onClick={() => props.onRemove()}>
            <Trash size={15} />
          </IconButton>
        </div>
      </div>
      <Show when={props.open}>
        <div data-slot="details" role="group" aria-label={props.name}>
          <FolderField
            value={one().folder}
            faults={mappingFault(one()) ? [{ message: mappingFault(one()) }] : []}
            about={words().folderAbout}
            onChange={(folder) => props.onChange({ folder })}
          />
          <ChoicePickers
            value={{ ...noChoices, model: one().model ?? "", effort: one().effort ?? "", permissionMode: one().permissionMode ?? "" }}
            fields={["model", "effort", "permissionMode"]}
            inherited={settings()}
            onChange={({ model, effort, permissionMode }) => props.onChange({ model, effort, permissionMode })}
          />
          <Show when={!props.direct}>
            <label data-slot="check">
              <input type="checkbox" checked={one().mention === true} onChange={(event) => props.onChange({ mention: event.currentTarget.checked })} />
              <span>
                {words().mention}
                <small data-slot="aside">{words().mentionAbout}</small>
              </span>
            </label>
          </Show>
          <div data-slot="actions">
            <Button size="small" onClick={done}>
              {words().done}
            </Button>
          </div>
        </div>
      </Show>
    </li>
  );
}
