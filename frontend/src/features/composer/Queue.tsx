import { For, type JSX, Show } from "solid-js";
import type { QueuedPrompt } from "../../host/border.gen";

/** The prompts that wait for the running turn. */
export function Queue(props: { prompts: QueuedPrompt[] }): JSX.Element {
  return (
    <Show when={props.prompts.length > 0}>
      <div data-slot="queue">
        <h2>Queued</h2>
        <ol role="list">
          <For each={props.prompts}>{(prompt) => <li title={prompt.text}>{prompt.text}</li>}</For>
        </ol>
      </div>
    </Show>
  );
}
