import Undo2 from "lucide-solid/icons/undo-2";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { messageOf } from "../../../host/host";
import { text, translated } from "../../../i18n";
import { stable } from "../../../lib/stable";
import { formatClock } from "../../../lib/time";
import { useApp } from "../../../store/context";
import { Button } from "../../../ui/button";
import { FileRow } from "./FileRow";
import { createChanges } from "./model";
import { Outside } from "./Outside";
import { TurnRow } from "./TurnRow";
import { UndoDialog, type UndoTarget } from "./UndoDialog";
import "./files.css";

/** The files a session changed: by file, by turn, and further changes found by git. */
export function Files(props: { sessionId: string }): JSX.Element {
  const { host } = useApp();
  const model = createChanges(() => props.sessionId);
  const [target, setTarget] = createSignal<UndoTarget | null>(null);
  const [said, setSaid] = createSignal("");
  const words = () => text().inspector.files;
  const files = () => model.list()?.files ?? [];
  const turns = () => model.list()?.turns ?? [];
  const undone = stable(() => model.list()?.undone);

  /** A redo is running. Nothing is offered until the files are read again, so that it runs only once. */
  const [redoing, setRedoing] = createSignal(false);
  async function redo(): Promise<void> {
    if (redoing()) return;
    setRedoing(true);
    try {
      const { done, refused } = await host.call("change.redo", { sessionId: props.sessionId });
      setSaid(refused.length > 0 ? words().redoRefused(refused.map((f) => `${f.path}: ${translated(f.reason)}`).join("\n")) : words().redone(done.length));
    } catch (failure) {
      setSaid(messageOf(failure));
    }
    // Only then are new actions offered.
    await model.refresh();
    setRedoing(false);
  }

  return (
    <div data-component="changed-files">
      <Show when={!redoing() && model.list()?.undone}>
        <div data-slot="undone" role="status">
          <p>{words().undone(undone().files.length, formatClock(undone().at))}</p>
          <Button size="small" onClick={() => void redo()}>
            {words().redo}
          </Button>
        </div>
      </Show>
      <Show when={said()}>
        <p data-slot="said" role="status">
          {said()}
        </p>
      </Show>
      <Switch>
        <Match when={model.error() && !model.list()}>
          <div data-slot="empty">
            <p>{model.error()}</p>
            <Button size="small" onClick={() => void model.refresh()}>
              {text().common.tryAgain}
            </Button>
          </div>
        </Match>
        <Match when={!model.list()}>
          <p data-slot="late" role="status">
            {text().common.loading}
          </p>
        </Match>
        <Match when={true}>
          <Show
            when={files().length > 0}
            fallback={
              <div data-slot="none">
                <p>{words().none}</p>
                <p data-slot="hint">{words().noneHint}</p>
              </div>
            }
          >
            <section aria-labelledby={`files-${props.sessionId}`}>
              <header data-slot="head">
                <h3 id={`files-${props.sessionId}`}>{words().byTools(files().length)}</h3>
                <Button size="small" variant="ghost" onClick={() => setTarget({ turnId: "" })}>
                  <Undo2 />
                  {words().undoAll}
                </Button>
              </header>
              <ul role="list">
                <For each={files()}>{(file) => <FileRow sessionId={props.sessionId} file={file} onUndo={() => setTarget({ turnId: "", only: file.path })} />}</For>
              </ul>
            </section>
          </Show>
          <Show when={turns().length > 0}>
            <section aria-labelledby={`turns-${props.sessionId}`}>
              <header data-slot="head">
                <h3 id={`turns-${props.sessionId}`}>{words().byTurn}</h3>
              </header>
              <ul role="list">
                <For each={turns()}>
                  {(turn) => <TurnRow sessionId={props.sessionId} turn={turn} files={files()} onUndo={() => setTarget({ turnId: turn.turnId, last: turn.last })} />}
                </For>
              </ul>
            </section>
          </Show>
          <Show when={model.list()?.more}>
            <p data-slot="hint">{words().more}</p>
          </Show>
          <Outside sessionId={props.sessionId} outside={model.outside()} />
        </Match>
      </Switch>
      <UndoDialog sessionId={props.sessionId} target={target()} onClose={() => setTarget(null)} onDone={() => void model.refresh()} />
    </div>
  );
}
