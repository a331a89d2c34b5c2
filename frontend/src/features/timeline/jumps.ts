// Going to a message that somebody asked for: it is shown, and marked for a moment.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Jump } from "../../store/state";

/** So long a message stays marked that somebody went to. */
const markedFor = 2500;

export interface Jumps {
  /** The message that is marked, "" for none. */
  marked: Accessor<string>;
  /** Goes where somebody wants to go, from now on. Asks to be called where effects may be made. */
  follow(): void;
}

/** show brings a message into view, and says false when it is not there. */
export function createJumps(jump: () => Jump | undefined, show: (id: string) => unknown): Jumps {
  const [marked, setMarked] = createSignal("");
  let unmarking: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(unmarking));

  function go(): void {
    const { messageId = "", busy = false } = jump() ?? {};
    if (messageId === "" || busy || show(messageId) === false) return;
    setMarked(messageId);
    clearTimeout(unmarking);
    unmarking = setTimeout(() => setMarked(""), markedFor);
  }
  return {
    marked,
    follow: () => createEffect(on(() => [jump()?.serial, jump()?.busy], go)),
  };
}
