// Jumps to a message: scrolls to it and highlights it for a moment.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Jump } from "../../store/state";

/** How long the target stays highlighted. */
const markedFor = 2500;

export interface Jumps {
  /** The highlighted message, "" for none. */
  marked: Accessor<string>;
  /** Starts following jump requests. Must be called where effects may be created. */
  follow(): void;
}

/** show scrolls to a message and returns false if it does not exist. */
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
