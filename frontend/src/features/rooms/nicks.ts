// Completes the nickname being typed after an "@".

import { createMemo, createSignal } from "solid-js";
import type { RoomMember } from "../../host/border.gen";
import { fold } from "../../lib/fold";

const mostShown = 8;

export interface Nick {
  nick: string;
  /** Null for everyone. */
  member: RoomMember | null;
}

/** Completes nicknames in the text up to the caret. */
export function createNicks(written: { text: () => string; caret: () => number; replace: (from: number, to: number, text: string) => void }, members: () => readonly RoomMember[]) {
  const [at, setAt] = createSignal(0);
  /** The position where the user closed the list, so that it does not reopen there. */
  const [closed, setClosed] = createSignal(-1);
  const begun = createMemo(() => {
    const found = /(?:^|[^\p{L}\p{N}_-])@([\p{L}\p{M}\p{N}_-]*)$/u.exec(written.text().slice(0, written.caret()));
    return found ? { from: written.caret() - (found[1] ?? "").length, word: fold(found[1] ?? "") } : null;
  });
  const matches = createMemo((): readonly Nick[] => {
    const one = begun();
    if (!one || one.from === closed()) return [];
    const all: Nick[] = [...members().map((member) => ({ nick: member.nick, member })), { nick: "all", member: null }];
    const rated = all
      .map((entry) => ({ entry, place: fold(entry.nick).indexOf(one.word) }))
      .filter(({ entry, place }) => place >= 0 && fold(entry.nick) !== one.word);
    // Array.sort is stable.
    rated.sort((a, b) => Math.min(a.place, 1) - Math.min(b.place, 1));
    return rated.slice(0, mostShown).map(({ entry }) => entry);
  });
  const chosen = () => Math.min(at(), matches().length - 1);

  function accept(entry: Nick | undefined): void {
    const one = begun();
    if (!entry || !one) return;
    setAt(0);
    written.replace(one.from, written.caret(), `${entry.nick} `);
  }

  return {
    matches,
    at: chosen,
    setAt,
    accept,
    /** Handles a key of an open list and reports whether it did. */
    onKey(event: KeyboardEvent): boolean {
      const count = matches().length;
      if (count === 0 || event.ctrlKey || event.metaKey || event.altKey) return false;
      switch (event.key) {
        case "ArrowDown":
          setAt((chosen() + 1) % count);
          return true;
        case "ArrowUp":
          setAt((chosen() + count - 1) % count);
          return true;
        case "Enter":
        case "Tab":
          if (event.shiftKey) return false;
          accept(matches()[chosen()]);
          return true;
        case "Escape":
          setClosed(begun()?.from ?? -1);
          return true;
        default:
          return false;
      }
    },
  };
}
