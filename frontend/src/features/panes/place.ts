// What the tabs of places are called.

import { text } from "../../i18n";
import type { PlaceKind } from "../../store/arrangement";

/** A place's title, as its tab and the window have it. */
export function placeName(kind: PlaceKind): string {
  const { chat, heartbeats, memory, permission, processes, rooms, settings, usage } = text();
  return { chat, heartbeats, memory, permissions: permission, processes, rooms, settings, usage }[kind].title;
}
