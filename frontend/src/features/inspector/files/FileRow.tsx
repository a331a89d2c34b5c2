import ChevronRight from "lucide-solid/icons/chevron-right";
import Undo2 from "lucide-solid/icons/undo-2";
import { createSignal, type JSX, Show } from "solid-js";
import type { ChangedFile } from "../../../host/border.gen";
import { number, text } from "../../../i18n";
import { baseName } from "../../../lib/path";
import { useApp } from "../../../store/context";
import { IconButton } from "../../../ui/icon-button";
import { FileDiffView } from "./FileDiffView";

/** One changed file; expands to its diff. */
export function FileRow(props: { sessionId: string; file: ChangedFile; onUndo: () => void }): JSX.Element {
  const { host } = useApp();
  const [open, setOpen] = createSignal(false);
  const words = () => text().inspector.files;
  const kind = () => (props.file.gone ? words().gone : props.file.created ? words().created : "");
  return (
    <li data-component="file-row">
      <div data-slot="line">
        <button type="button" data-slot="toggle" aria-expanded={open()} title={props.file.path} onClick={() => setOpen(!open())}>
          <span data-slot="chevron" data-open={open() || undefined}>
            <ChevronRight />
          </span>
          <FileName name={props.file.name} />
          <Show when={kind()}>
            <span data-slot="kind">{kind()}</span>
          </Show>
          <Show when={props.file.agent}>
            <span data-slot="kind">{words().agent}</span>
          </Show>
          <Counts added={props.file.added} removed={props.file.removed} />
        </button>
        <Show when={!props.file.outside} fallback={<span data-slot="no-button" />}>
          <IconButton label={words().undoFile(baseName(props.file.name))} onClick={() => props.onUndo()}>
            <Undo2 />
          </IconButton>
        </Show>
      </div>
      <Show when={open()}>
        <FileDiffView
          label={words().diffOf(props.file.name)}
          read={() => host.call("change.diff", { sessionId: props.sessionId, path: props.file.path, to: "tools" })}
        />
      </Show>
    </li>
  );
}

/** The name first, then as much of its folder as fits. */
export function FileName(props: { name: string }): JSX.Element {
  const name = () => baseName(props.name);
  const folder = () => props.name.slice(0, props.name.lastIndexOf(name())).replace(/[\\/]$/, "");
  return (
    <span data-slot="name">
      <bdi data-slot="base">{name()}</bdi>
      <Show when={folder()}>
        <bdi data-slot="folder">{folder()}</bdi>
      </Show>
    </span>
  );
}

/** The numbers of added and removed lines. */
function Counts(props: { added: number; removed: number }): JSX.Element {
  return (
    <span data-slot="counts" role="img" aria-label={text().inspector.files.counts(props.added, props.removed)}>
      <Show when={props.added > 0}>
        <span data-kind="add">+{number(props.added)}</span>
      </Show>{" "}
      <Show when={props.removed > 0}>
        <span data-kind="remove">−{number(props.removed)}</span>
      </Show>
    </span>
  );
}
