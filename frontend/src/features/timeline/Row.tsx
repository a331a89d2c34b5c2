import { createEffect, createSignal, type JSX, onCleanup, untrack } from "solid-js";
import { MessageView } from "./Message";
import { StartNotice } from "./Notice";
import type { Pace } from "./pace";
import type { Scope } from "../../store/scope";

/** A message in its row of the list. */
export function Row(props: {
  id: string;
  scope: Scope;
  /** Whether the user has just jumped to it. */
  marked: boolean;
  first: boolean;
  /** Whether the first loaded message is the first of all. */
  whole: boolean;
  pace: Pace;
  /** Its estimated height in px while nothing is rendered in it. */
  height: () => number;
  /** Called with the row's element, and with null when it is removed. */
  onElement: (id: string, element: HTMLElement | null) => void;
}): JSX.Element {
  const [late, setLate] = createSignal(false);
  const drawn = untrack(() => props.pace).begin(() => setLate(true));
  /** When the session started, 0 on all rows but its first. */
  const begun = () => (props.first && props.whole ? (props.scope.conversation.messages[props.id]?.at ?? 0) : 0);
  const height = drawn ? 0 : untrack(() => props.height());
  const root = (
    <div data-slot="row" data-row={props.id} data-first={props.first || undefined} style={drawn || late() ? undefined : { height: `${height}px` }}>
      {(drawn || late()) && begun() > 0 && <StartNotice at={begun()} />}
      {(drawn || late()) && <MessageView id={props.id} scope={props.scope} />}
    </div>
  ) as HTMLElement;
  props.onElement(props.id, root);
  onCleanup(() => {
    props.onElement(props.id, null);
    letGo(root);
  });
  createEffect(() => {
    late();
    const message = root.querySelector<HTMLElement>("[data-message-id]");
    if (!message) return;
    if (props.marked) message.dataset["marked"] = "";
    else delete message.dataset["marked"];
  });
  return root;
}

/**
 * Removes the event handlers from the elements of a removed row. Otherwise the elements keep everything of the row
 * alive until the next full garbage collection, and minor collections copy it.
 */
function letGo(root: Element): void {
  for (const element of root.querySelectorAll<HTMLElement & Record<string, unknown>>("button, a, input, textarea, [tabindex]")) {
    for (const name of Object.keys(element)) if (name.startsWith("$$")) element[name] = undefined;
  }
}
