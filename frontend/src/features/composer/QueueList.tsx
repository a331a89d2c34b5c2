import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { Session } from "../../host/border.gen";
import { useApp } from "../../store/context";
import { isBusy } from "../../store/state";
import { Button } from "../../ui/button";
import { heldReason, inOrder, type Queue } from "./queue";
import { QueueRow } from "./QueueRow";
import "./queue.css";

/** The queued prompts, in sending order. */
export function QueueList(props: { session: Session; queue: Queue }): JSX.Element {
  const { state } = useApp();
  const [open, setOpen] = createSignal<readonly string[]>([]);
  // Keyed by id, so that rows survive when the one before them is removed.
  const ids = createMemo(() => inOrder(props.session.queued).map((p) => p.promptId));
  const find = (id: string) => props.session.queued.find((p) => p.promptId === id);
  const held = () => props.session.queued.some((p) => p.state === "held");
  const toggle = (id: string) => setOpen((all) => (all.includes(id) ? all.filter((o) => o !== id) : [...all, id]));
  const problem = () => (props.queue.problem()?.promptId === "" ? props.queue.problem()?.message : undefined);

  return (
    <>
      <Show when={ids().length > 0}>
        <section data-component="queue" aria-label={text().composer.queue.label}>
          <header data-slot="head">
            <h2>{text().composer.queue.count(ids().length)}</h2>
            <p data-slot="why">{held() ? heldReason(state, props.session) : ""}</p>
            <Show when={held()}>
              <Button size="small" disabled={props.queue.busy("")} onClick={() => void props.queue.send()}>
                {ids().length > 1 ? text().composer.queue.sendAll : text().composer.queue.sendOne}
              </Button>
            </Show>
          </header>
          <ol role="list">
            <For each={ids()}>
              {(id, index) => (
                <Show when={find(id)}>
                  {(prompt) => (
                    <QueueRow
                      prompt={prompt()}
                      number={index() + 1}
                      busy={isBusy(props.session)}
                      open={open().includes(id)}
                      onToggle={() => toggle(id)}
                      queue={props.queue}
                    />
                  )}
                </Show>
              )}
            </For>
          </ol>
          <Show when={problem()}>
            <p data-slot="problem" role="alert">
              {problem()}
            </p>
          </Show>
        </section>
      </Show>
      <Show when={props.queue.dropped()}>
        {(words) => (
          <p data-component="queue-dropped" role="status">
            <span data-slot="text">{text().composer.queue.takenOut(words())}</span>
            <Button size="small" variant="ghost" onClick={() => props.queue.restore()}>
              {text().composer.queue.restore}
            </Button>
          </p>
        )}
      </Show>
    </>
  );
}
