import { createSignal, For, type JSX, Show } from "solid-js";
import { text as words } from "../../i18n";
import { LongText } from "../../ui/markdown";
import { formatBytes } from "../../lib/time";
import "./long-content.css";

const beginning = 2000;
/** The size of each additional slice. */
const slice = 64_000;

/** A text too long to render at once: its beginning, and more of it in slices. */
export function LongContent(props: { text: string; label: string; closed?: boolean }): JSX.Element {
  const [ends, setEnds] = createSignal<readonly number[]>(props.closed ? [] : [beginning]);
  const end = () => ends().at(-1) ?? 0;
  const left = () => Math.max(0, props.text.length - end());
  const more = () => {
    const next = end() === 0 ? beginning : end() + slice;
    setEnds([...ends(), whole(props.text, Math.min(next, props.text.length))]);
  };
  return (
    <div data-component="long-content" role="group" aria-label={props.label}>
      <Show when={ends().length > 0}>
        <div data-slot="words" tabindex="0" role="region" aria-label={props.label}>
          <For each={ends()}>{(to, i) => <LongText text={props.text.slice(ends()[i() - 1] ?? 0, to)} />}</For>
        </div>
      </Show>
      <Show when={left() > 0}>
        <button type="button" data-slot="more" onClick={more}>
          {ends().length === 0
            ? words().timeline.monsterShow(props.label, formatBytes(props.text.length))
            : words().timeline.monsterMore(formatBytes(left()))}
        </button>
      </Show>
    </div>
  );
}

/** Does not split a character. */
function whole(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff && end < text.length ? end + 1 : end;
}
