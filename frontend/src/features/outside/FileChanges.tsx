import { createMemo, For, type JSX, Show } from "solid-js";
import type { HeldChange, HeldFile } from "../../host/border.gen";
import { number, text, translated } from "../../i18n";
import { textRows } from "../../lib/diff";
import { Button } from "../../ui/button";
import { Diff } from "../../ui/diff";
import { ExactText } from "../../ui/exact-text";

/** The changes to one file by other programs, in full, with the buttons to decide. */
export function FileChanges(props: { file: HeldFile; onDecide: (method: "outside.accept" | "outside.undo") => void }): JSX.Element {
  const words = () => text().outside;
  return (
    <section aria-label={props.file.name}>
      <h3>
        <code>{props.file.path}</code>
      </h3>
      <ul>
        <For each={props.file.changes}>
          {(change) => (
            <li>
              <strong>
                <ExactText text={change.field} />
              </strong>
              <Show when={change.why}>{(why) => <p>{why().split("\n").map((sentence) => translated(sentence)).join(" ")}</p>}</Show>
              <Texts change={change} path={props.file.path} />
            </li>
          )}
        </For>
      </ul>
      <Show when={props.file.more > 0}>
        <p>{words().tooLong(props.file.more, number(props.file.more))}</p>
      </Show>
      <div data-slot="buttons">
        <Button onClick={() => props.onDecide("outside.undo")}>{words().undo}</Button>
        <Button disabled={props.file.more > 0} onClick={() => props.onDecide("outside.accept")}>
          {words().accept}
        </Button>
      </div>
    </section>
  );
}

/** Both texts, or of several lines those that differ. */
function Texts(props: { change: HeldChange; path: string }): JSX.Element {
  const ended = (lines: string) => (lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`);
  const rows = createMemo(() =>
    `${props.change.was}${props.change.is}`.includes("\n") ? textRows(ended(props.change.was), ended(props.change.is), false) : [],
  );
  return (
    <Show when={rows().length > 0} fallback={<Values change={props.change} />}>
      <div data-slot="lines" tabindex="0" role="group" aria-label={props.change.field}>
        <Diff rows={rows()} path={props.path} whole />
      </div>
    </Show>
  );
}

function Values(props: { change: HeldChange }): JSX.Element {
  const words = () => text().outside;
  return (
    <dl>
      <dt>{words().was}</dt>
      <dd data-side="was">
        <Show when={props.change.was !== ""} fallback={words().nothing}>
          <ExactText text={props.change.was} />
        </Show>
      </dd>
      <dt>{words().is}</dt>
      <dd data-side="is">
        <Show when={props.change.is !== ""} fallback={words().nothing}>
          <ExactText text={props.change.is} />
        </Show>
      </dd>
    </dl>
  );
}
