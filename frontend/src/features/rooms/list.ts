// The rooms as they are now. Much may happen in them at once: they are read again a few
// times a second at most.

import { createSignal } from "solid-js";
import type { RoomList } from "../../host/border.gen";
import { createReading, type Reading } from "../../store/reading";

const settle = 75;

// Nobody is told of what the user has seen; the other places that show it read it again.
const [seen, setSeen] = createSignal(0);

/** Says that the user has seen something in a room. */
export const tellSeen = (): void => void setSeen((n) => n + 1);

/** Reads the rooms, again whenever they may have changed. Runs inside an owner. */
export function createRooms(): Reading<RoomList> {
  return createReading("room.list", () => ({}), { globals: ["room.changed", "room.message"], anew: seen, settle });
}
