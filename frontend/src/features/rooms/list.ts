// The rooms as they are now. Much may happen in them at once: they are read anew a few
// times a second at most.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import type { RoomList } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { useApp } from "../../store/context";

const pause = 300;

// Nobody is told of what the person has seen; the other places that show it read it anew.
const [seen, setSeen] = createSignal(0);

/** Says that the person has seen something in a room. */
export const tellSeen = (): void => void setSeen((n) => n + 1);

export interface Rooms {
  answer: Accessor<RoomList | null>;
  error: Accessor<string>;
  again: () => void;
}

/** Reads the rooms, again whenever they may have changed. Runs inside an owner. */
export function createRooms(): Rooms {
  const { host } = useApp();
  const [answer, setAnswer] = createSignal<RoomList | null>(null);
  const [error, setError] = createSignal("");
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  let last = 0;

  async function read(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (host.status().kind !== "open") return;
    const mine = ++asked;
    last = Date.now();
    try {
      const found = await host.call("room.list", {});
      if (mine !== asked) return;
      setError("");
      setAnswer(found);
    } catch (failure) {
      if (mine === asked) setError(messageOf(failure));
    }
  }
  function soon(): void {
    timer ??= setTimeout(() => void read(), Math.max(0, last + pause - Date.now()));
  }

  onCleanup(host.onGlobal(({ event }) => (event === "room.changed" || event === "room.message") && soon()));
  onCleanup(() => {
    asked++;
    clearTimeout(timer);
  });
  createEffect(on(() => host.status().kind, (link) => link === "open" && void read()));
  createEffect(on(seen, soon, { defer: true }));
  return { answer, error, again: () => void read() };
}
