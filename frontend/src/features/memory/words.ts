// Texts for memories.

import type { Memory, MemoryOrigin, MemorySection } from "../../host/border.gen";
import { locale, text } from "../../i18n";

/** The origin of a memory. */
export function originWords(origin: MemoryOrigin): string {
  const words = text().memory.from;
  if (origin.heartbeat) return words.heartbeat(origin.heartbeat);
  switch (origin.by) {
    case "session":
      return origin.sessionKnown ? words.session(origin.sessionTitle || words.untitled) : words.sessionGone;
    case "person":
      return words.person;
    case "chat":
      return words.chat;
    case "earl":
      return words.earl;
    default:
      return words.hand;
  }
}

/** A day such as "2026-11-21" with its weekday, and the year unless it is the current one. */
export function dayWords(day: string): string {
  const at = new Date(`${day}T12:00:00`);
  if (Number.isNaN(at.getTime())) return day;
  const year = at.getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
  return new Intl.DateTimeFormat(locale(), { weekday: "long", day: "numeric", month: "long", ...year }).format(at);
}

/** The time it was saved, in the user's time zone, "" if only the day is known. */
export function timeWords(memory: Memory): string {
  return memory.clock ? new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" }).format(memory.at) : "";
}

/** A moment with its day. */
export function momentWords(at: number): string {
  const year = new Date(at).getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
  return new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", ...year }).format(at);
}

/** The label of a memory file by its purpose. */
export function fileWords(file: { kind: string; file: string }, workspaceName = ""): string {
  const words = text().memory;
  switch (file.kind) {
    case "soul":
      return words.soul;
    case "user":
      return words.user;
    case "notes":
      return workspaceName ? words.notesOf(workspaceName) : words.notes;
    default:
      return file.file;
  }
}

export const sectionWords = (section: MemorySection): string => (section.kind === "daily" ? text().memory.told.recent : fileWords(section));

/** The kind of a file by its name. */
export function kindOf(file: string): "soul" | "user" | "notes" | "daily" {
  if (file === "SOUL.md") return "soul";
  if (file === "USER.md") return "user";
  return file.endsWith("/NOTES.md") ? "notes" : "daily";
}

/** The slug of a file's workspace, "" for none. */
export const slugOf = (file: string): string => (file.startsWith("workspaces/") ? (file.split("/")[1] ?? "") : "");
