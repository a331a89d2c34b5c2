import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { HeartbeatList } from "../../host/border.gen";
import { text } from "../../i18n";
import { stable } from "../../lib/stable";
import { createClock } from "../../lib/time";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Trouble } from "../../ui/trouble";
import { Examples } from "./Examples";
import { FileProblems } from "./FileProblems";
import { HeartbeatRow } from "./HeartbeatRow";
import type { HeartbeatsModel } from "./model";
import { PausedBar, PauseMenu } from "./Pause";
import { spentWords } from "./words";

/** All heartbeats with their state, and the problems of their file. */
export function ListTab(props: { model: HeartbeatsModel }): JSX.Element {
  return (
    <Show when={props.model.reading.answer()} fallback={<Trouble reading={props.model.reading} failed={text().heartbeats.failed} />}>
      <List model={props.model} />
    </Show>
  );
}

function List(props: { model: HeartbeatsModel }): JSX.Element {
  const list = stable<HeartbeatList>(props.model.reading.answer);
  const [removing, setRemoving] = createSignal("");
  const now = createClock(1000);
  const words = () => text().heartbeats;
  const names = () => list().heartbeats.map(({ name }) => name);
  const sum = () => (list().month.runs > 0 ? words().list.all(spentWords(list().today), spentWords(list().month)) : "");
  return (
    <>
      <FileProblems list={list()} onGo={(line, column) => props.model.goToLine(line, column)} />
      <PausedBar list={list()} onResume={() => void props.model.pause(false)} />
      <Show when={names().length > 0} fallback={<Examples model={props.model} />}>
        <div data-slot="tools">
          <Button variant="primary" data-autofocus="" onClick={() => props.model.create()}>
            <Plus size={14} /> {words().list.add}
          </Button>
          <Show when={!list().paused}>
            <PauseMenu onPause={(until) => void props.model.pause(true, until)} />
          </Show>
          <span data-slot="sum">{sum()}</span>
        </div>
        <ul role="list" data-slot="rows" aria-label={words().list.label}>
          <For each={names()}>
            {(name) => {
              const heartbeat = stable(() => list().heartbeats.find((one) => one.name === name));
              return (
                <li>
                  <HeartbeatRow heartbeat={heartbeat()} list={list()} now={now()} model={props.model} onDelete={() => setRemoving(name)} />
                </li>
              );
            }}
          </For>
        </ul>
      </Show>
      <RemoveQuestion name={removing()} onAnswer={(go) => {
        const name = removing();
        setRemoving("");
        if (go) void props.model.remove(name);
      }} />
    </>
  );
}

function RemoveQuestion(props: { name: string; onAnswer: (go: boolean) => void }): JSX.Element {
  const words = () => text().heartbeats.remove;
  // Keeps the name while the dialog fades out.
  const name = stable(() => props.name || undefined);
  return (
    <Dialog
      open={props.name !== ""}
      onOpenChange={(open) => !open && props.onAnswer(false)}
      title={words().title(name() ?? "")}
      footer={
        <>
          <Button data-autofocus="" onClick={() => props.onAnswer(false)}>
            {text().common.cancel}
          </Button>
          <Button variant="ghost" data-danger="" onClick={() => props.onAnswer(true)}>
            {text().common.delete}
          </Button>
        </>
      }
    >
      <p data-slot="description">{words().about}</p>
    </Dialog>
  );
}
