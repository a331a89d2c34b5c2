import { createEffect, createSignal, type JSX, onCleanup, Show, untrack } from "solid-js";
import { MessageView } from "./Message";
import type { Pace } from "./pace";
import type { Scope } from "./scope";

/** A message in its row of the list. */
export function Row(props: {
  id: string;
  scope: Scope;
  /** Somebody has just gone to it. */
  marked: boolean;
  first: boolean;
  pace: Pace;
  /** How high it is taken for, in px, while nothing is drawn in it. */
  height: () => number;
  /** Hears of the row's element, and of its end. */
  onElement: (id: string, element: HTMLElement | null) => void;
}): JSX.Element {
  const [late, setLate] = createSignal(false);
  const drawn = untrack(() => props.pace).begin(() => setLate(true));
  const height = drawn ? 0 : untrack(() => props.height());
  const root = (
    <div data-slot="row" data-row={props.id} data-first={props.first || undefined} style={drawn || late() ? undefined : { height: `${height}px` }}>
      <Show when={drawn || late()}>
        <MessageView id={props.id} scope={props.scope} />
      </Show>
    </div>
  ) as HTMLElement;
  props.onElement(props.id, root);
  onCleanup(() => props.onElement(props.id, null));
  createEffect(() => {
    late();
    const message = root.querySelector<HTMLElement>("[data-message-id]");
    if (!message) return;
    if (props.marked) message.dataset["marked"] = "";
    else delete message.dataset["marked"];
  });
  return root;
}
