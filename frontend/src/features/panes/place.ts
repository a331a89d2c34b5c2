// Titles of places.

import { text } from "../../i18n";
import type { PlaceKind } from "../../store/arrangement";

/** A place's title, for its tab and the window. */
export function placeName(kind: PlaceKind): string {
  const { chat, heartbeats, memory, permission, processes, rooms, settings, usage } = text();
  return { chat, heartbeats, memory, permissions: permission, processes, rooms, settings, usage }[kind].title;
}
