import { createEffect, createSignal, type JSX, on, onCleanup } from "solid-js";
import type { RoomMessage } from "../../host/border.gen";
import { text } from "../../i18n";
import { excerpt, plain } from "./words";

/** New messages are collected for this long before they are announced. */
const pause = 2000;

/** Announces new messages to screen readers: the beginning of one, the number of several. */
export function Announcer(props: { heard: RoomMessage | null }): JSX.Element {
  const [said, setSaid] = createSignal("");
  let waiting: RoomMessage[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    const words = text().rooms.log;
    const [one] = waiting;
    setSaid(one && waiting.length === 1 ? words.said(plain(one.from.nick), excerpt(one, 200)) : words.saidSome(waiting.length));
    waiting = [];
    timer = undefined;
  };
  createEffect(
    on(
      () => props.heard,
      (message) => {
        if (!message) return;
        waiting.push(message);
        timer ??= setTimeout(tell, pause);
      },
    ),
  );
  onCleanup(() => clearTimeout(timer));
  return (
    <p class="visually-hidden" aria-live="polite" data-slot="announcer">
      {said()}
    </p>
  );
}
