import { createEffect, createSignal, type JSX, on, onCleanup } from "solid-js";
import type { RoomMessage } from "../../host/border.gen";
import { text } from "../../i18n";
import { excerpt, plain } from "./words";

/** So long what comes is collected before it is said. */
const pause = 2000;

/** Says what comes to those who listen: one message with its beginning, of several how many. */
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
