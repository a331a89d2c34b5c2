import ChevronRight from "lucide-solid/icons/chevron-right";
import { createSignal, type JSX, Show, untrack } from "solid-js";
import type { UndoPreview } from "../../../host/border.gen";
import { text, translated } from "../../../i18n";
import { useApp } from "../../../store/context";
import { IconButton } from "../../../ui/icon-button";
import { FileDiffView } from "./FileDiffView";
import { FileName } from "./FileRow";
import { isUndoable } from "./model";

/** One file of an undo: whether to undo it, the action, and its diff. */
export function UndoFileRow(props: {
  sessionId: string;
  turnId: string;
  file: UndoPreview;
  chosen: boolean;
  /** Whether the diff is expanded initially. */
  open: boolean;
  onToggle: () => void;
}): JSX.Element {
  const { host } = useApp();
  const [open, setOpen] = createSignal(untrack(() => props.open));
  const words = () => text().inspector.undo;
  const actions = (): Record<string, string> => words().actions;
  const able = () => isUndoable(props.file.action);
  return (
    <li data-component="undo-file">
      <div data-slot="line">
        <label title={props.file.path}>
          <input type="checkbox" checked={props.chosen} disabled={!able()} onChange={() => props.onToggle()} />
          <FileName name={props.file.name} />
          <span data-slot="action">{actions()[props.file.action]}</span>
        </label>
        <Show when={able()}>
          <IconButton label={open() ? words().hideDiff : words().showDiff} aria-expanded={open()} onClick={() => setOpen(!open())}>
            <span data-slot="chevron" data-open={open() || undefined}>
              <ChevronRight />
            </span>
          </IconButton>
        </Show>
      </div>
      <Show when={props.file.reason}>
        <p data-slot="note">{translated(props.file.reason)}</p>
      </Show>
      <Show when={able() && props.file.foreign}>
        <p data-slot="warning">{words().foreign}</p>
      </Show>
      <Show when={able() && !props.file.exact}>
        <p data-slot="note">{words().inexact}</p>
      </Show>
      <Show when={open() && able()}>
        <FileDiffView
          back
          label={text().inspector.files.diffOf(props.file.name)}
          read={() => host.call("change.diff", { sessionId: props.sessionId, path: props.file.path, turnId: props.turnId, to: "now" })}
        />
      </Show>
    </li>
  );
}
