import ChevronRight from "lucide-solid/icons/chevron-right";
import Undo2 from "lucide-solid/icons/undo-2";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { ChangedFile, ChangeTurn } from "../../../host/border.gen";
import { text } from "../../../i18n";
import { formatClock } from "../../../lib/time";
import { useApp } from "../../../store/context";
import { IconButton } from "../../../ui/icon-button";
import { FileDiffView } from "./FileDiffView";
import { FileName } from "./FileRow";

/** One turn with changes; expands to the changes of each file. */
export function TurnRow(props: { sessionId: string; turn: ChangeTurn; files: readonly ChangedFile[]; onUndo: () => void }): JSX.Element {
  const { host, actions } = useApp();
  const [open, setOpen] = createSignal(false);
  const words = () => text().inspector.files;
  const mine = () => props.files.filter((file) => file.turns.includes(props.turn.turnId));
  const title = () => props.turn.title || words().untitledTurn;
  const about = () =>
    [
      formatClock(props.turn.at),
      props.turn.files > 0 ? words().fileCount(props.turn.files) : "",
      props.turn.commands > 0 ? words().commandCount(props.turn.commands) : "",
    ]
      .filter(Boolean)
      .join(" · ");
  return (
    <li data-component="turn-row">
      <div data-slot="line">
        <button type="button" data-slot="toggle" aria-expanded={open()} title={title()} onClick={() => setOpen(!open())}>
          <span data-slot="chevron" data-open={open() || undefined}>
            <ChevronRight />
          </span>
          <span data-slot="turn">
            <span data-slot="title">{title()}</span>
            <span data-slot="about">{about()}</span>
          </span>
        </button>
        <Show when={props.turn.later > 0}>
          <IconButton label={props.turn.last ? words().undoTurn : words().undoFromHere} onClick={() => props.onUndo()}>
            <Undo2 />
          </IconButton>
        </Show>
      </div>
      <Show when={open()}>
        <div data-slot="detail">
          <button type="button" data-slot="jump" onClick={() => void actions.jump(props.sessionId, { messageId: props.turn.turnId })}>
            {words().goToTurn}
          </button>
          <For each={mine()}>
            {(file) => (
              <>
                <FileName name={file.name} />
                <FileDiffView
                  label={words().diffOf(file.name)}
                  read={() => host.call("change.diff", { sessionId: props.sessionId, path: file.path, turnId: props.turn.turnId, to: "turn" })}
                />
              </>
            )}
          </For>
        </div>
      </Show>
    </li>
  );
}
