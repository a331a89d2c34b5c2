import { For, type JSX, Show } from "solid-js";
import type { ChatState } from "../../host/border.gen";
import { text, translated } from "../../i18n";

/** Invalid parts of the configuration, and overly broad roles. */
export function Problems(props: { state: ChatState }): JSX.Element {
  return (
    <>
      <Show when={props.state.problems.length > 0}>
        <div data-slot="notice" data-bad="" role="status">
          <strong>{text().chat.connection.problems}</strong>
          <Sentences list={props.state.problems} />
        </div>
      </Show>
      <Show when={props.state.wide.length > 0}>
        <div data-slot="notice" role="status">
          <strong>{text().chat.connection.wide}</strong>
          <Sentences list={props.state.wide} />
        </div>
      </Show>
    </>
  );
}

function Sentences(props: { list: readonly string[] }): JSX.Element {
  return (
    <ul role="list">
      <For each={props.list}>{(one) => <li dir="auto">{translated(one)}</li>}</For>
    </ul>
  );
}
