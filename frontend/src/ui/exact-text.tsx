import { For, type JSX, Show } from "solid-js";
import { text } from "../i18n";
import { segments } from "../lib/visible";
import "./exact-text.css";

/** Exact text: invisible characters are shown by their code point. */
export function ExactText(props: { text: string }): JSX.Element {
  return (
    <For each={segments(props.text)}>
      {(segment) => (
        <Show when={segment.hidden} fallback={segment.text}>
          <span data-component="hidden-character" title={text().blocks.hiddenCharacter}>
            {segment.text}
          </span>
        </Show>
      )}
    </For>
  );
}
