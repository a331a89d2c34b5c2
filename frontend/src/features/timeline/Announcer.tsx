import { createEffect, createMemo, createSignal, type JSX, on } from "solid-js";
import { text as words } from "../../i18n";
import type { Conversation, MessageState } from "../../store/state";
import { textOf } from "./Message";

const mostSpoken = 600;
/** A message of the current turn is searched within this distance from the end. */
const near = 50;

/** The id of the newest of the last messages that match. */
export function newest(conversation: Conversation, is: (message: MessageState) => unknown): string | undefined {
  const { order, messages } = conversation;
  for (let i = order.length - 1; i >= Math.max(0, order.length - near); i--) {
    const message = messages[order[i] ?? ""];
    if (message && is(message)) return message.id;
  }
  return undefined;
}

/** Announces a turn's answer to screen readers, once, when it is complete. */
export function Announcer(props: { conversation: Conversation }): JSX.Element {
  const [said, setSaid] = createSignal("");
  const finished = createMemo(() => newest(props.conversation, (message) => message.result));
  createEffect(
    on(
      finished,
      (id) => {
        const message = id === undefined ? undefined : props.conversation.messages[id];
        if (message) setSaid(words().timeline.said(textOf(message, props).slice(0, mostSpoken)));
      },
      { defer: true },
    ),
  );
  return (
    <div class="visually-hidden" aria-live="polite" data-slot="announcer">
      {said()}
    </div>
  );
}
