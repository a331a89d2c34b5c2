// The current rooms. Many events may arrive at once, so the list is reloaded at most a few times a second.

import { createSignal } from "solid-js";
import type { RoomList } from "../../host/border.gen";
import { createReading, type Reading } from "../../store/reading";

const settle = 75;

// No event reports what the user has seen, so other views of the list reload it.
const [seen, setSeen] = createSignal(0);

/** Reports that the user has seen something in a room. */
export const tellSeen = (): void => void setSeen((n) => n + 1);

/** Loads the rooms and reloads them after changes. Runs inside an owner. */
export function createRooms(): Reading<RoomList> {
  return createReading("room.list", () => ({}), { globals: ["room.changed", "room.message"], anew: seen, settle });
}
