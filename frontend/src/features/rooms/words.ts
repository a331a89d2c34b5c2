// Texts for rooms. Names and messages come from other sessions, people and machines, so invisible or reordering
// characters are shown by their code.

import type { Receipt, Room, RoomMember, RoomMessage } from "../../host/border.gen";
import { locale, text } from "../../i18n";
import { showHidden } from "../../lib/visible";

/** A name for display, on one line. */
export const plain = (name: string): string => showHidden(name.replace(/\s+/gu, " "));

/** A room's title: "#name", or the other member of a direct message. */
export function roomName(room: Room, me: string): string {
  if (room.kind !== "direct") return `#${plain(room.name)}`;
  const other = room.members.find((m) => m.id !== me) ?? room.barred.find((m) => m.id !== me);
  return other ? plain(other.nick) : text().rooms.unnamed;
}

let made: { locale: string; clock: Intl.DateTimeFormat; day: Intl.DateTimeFormat; far: Intl.DateTimeFormat } | undefined;

function formats(): NonNullable<typeof made> {
  const language = locale();
  if (made?.locale === language) return made;
  return (made = {
    locale: language,
    clock: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }),
    day: new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" }),
    far: new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", year: "numeric" }),
  });
}

/** The time of day in the user's time zone. */
export const clockWords = (at: number): string => formats().clock.format(at);

/** The day in words. */
export function dayWords(at: number, now = Date.now()): string {
  const words = text().rooms.log;
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return words.today;
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (day === yesterday.toDateString()) return words.yesterday;
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? formats().day : formats().far).format(at);
}

/** A moment with its day, for tooltips. */
export const momentWords = (at: number): string => `${dayWords(at)}, ${clockWords(at)}`;

export function memberState(member: RoomMember): string {
  const names: Record<string, string> = text().rooms.members.states;
  return names[member.state] ?? member.state;
}

const steps = ["accepted", "delivered", "read", "answered"] as const;
type Step = (typeof steps)[number];

const rank = (state: string): number => steps.indexOf(state as Step);

/** A message's delivery status in a few words. */
export function receiptWords(receipts: readonly Receipt[]): string {
  const words = text().rooms.receipts;
  const of = receipts.length;
  if (of === 0) return words.nobody;
  const failed = receipts.filter((r) => r.state === "failed").length;
  if (failed > 0) return of === 1 ? words.states.failed : words.some.failed(failed, of);
  for (const step of ["answered", "read", "delivered"] as const) {
    const there = receipts.filter((r) => rank(r.state) >= rank(step)).length;
    if (there === of) return words.states[step];
    if (there > 0) return words.some[step](there, of);
  }
  return words.states.accepted;
}

export const receiptState = (state: string): string => {
  const names: Record<string, string> = text().rooms.receipts.states;
  return names[state] ?? state;
};

/** The beginning of a message, on one line. */
export function excerpt(message: RoomMessage, most = 90): string {
  const line = plain(message.text.slice(0, 4 * most)).trim();
  return line.length > most ? `${line.slice(0, most).trimEnd()}…` : line;
}
