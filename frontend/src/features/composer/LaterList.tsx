import ArrowUp from "lucide-solid/icons/arrow-up";
import Pencil from "lucide-solid/icons/pencil";
import X from "lucide-solid/icons/x";
import { createMemo, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { formatClock } from "../../lib/time";
import { IconButton } from "../../ui/icon-button";
import type { Later, Waiting } from "./later";
import "./queue.css";

/** The scheduled prompts, and those that missed their time. */
export function LaterList(props: { later: Later }): JSX.Element {
  const words = () => text().composer.later;
  // Keyed by name, so that rows survive a reload.
  const names = createMemo(() => props.later.all().map(({ name }) => name), undefined, { equals: (a, b) => a.join("\n") === b.join("\n") });
  const find = (name: string) => props.later.all().find((w) => w.name === name);
  const refused = () => (props.later.problem()?.name === "" ? props.later.problem()?.message : undefined);
  return (
    <>
      <Show when={names().length > 0}>
        <section data-component="queue" aria-label={words().label}>
          <header data-slot="head">
            <h2>{words().count(names().length)}</h2>
          </header>
          <ol role="list">
            <For each={names()}>{(name) => <Show when={find(name)}>{(waiting) => <Row waiting={waiting()} later={props.later} />}</Show>}</For>
          </ol>
        </section>
      </Show>
      <Show when={refused()}>
        {(message) => (
          <p data-component="queue-dropped" role="alert">
            <span data-slot="text">{words().refused(message())}</span>
          </p>
        )}
      </Show>
    </>
  );
}

function Row(props: { waiting: Waiting; later: Later }): JSX.Element {
  const words = () => text().composer.later;
  const name = () => props.waiting.name;
  const first = () => props.waiting.text.trim().split("\n")[0] ?? "";
  const when = () => formatClock(props.waiting.at);
  const state = () => ({ waits: words().waits(when()), sending: text().composer.sending, missed: words().missed(when()) })[props.waiting.state];
  const off = () => props.later.busy(name()) || props.waiting.state === "sending";
  const problem = () => (props.later.problem()?.name === name() ? props.later.problem()?.message : props.waiting.why);
  return (
    <li data-slot="row" data-state={props.waiting.state === "missed" ? "failed" : undefined}>
      <span data-slot="words" title={props.waiting.text}>
        {first()}
      </span>
      <span data-slot="state">{state()}</span>
      <span data-slot="actions">
        <IconButton label={words().sendNamed(first())} disabled={off()} onClick={() => void props.later.sendNow(name())}>
          <ArrowUp />
        </IconButton>
        <IconButton label={words().editNamed(first())} disabled={off()} onClick={() => void props.later.edit(name())}>
          <Pencil />
        </IconButton>
        <IconButton label={words().dropNamed(first())} disabled={off()} onClick={() => void props.later.cancel(name())}>
          <X />
        </IconButton>
      </span>
      <Show when={problem()}>{(why) => <p data-slot="reason" role="status">{why()}</p>}</Show>
    </li>
  );
}
