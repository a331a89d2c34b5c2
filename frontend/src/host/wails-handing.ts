// Paste, drop and drag-out in the native window.

import { base64Of, bytesOf } from "../lib/object-url";
import type { Drag, DragEntry, Handed, Handing, HandingBridge } from "./handing";

export interface WailsHanding extends Handing {
  /** Handles the program's drag events. */
  dragged(entry: DragEntry): void;
}

/** orFail converts what a call rejects with to a HostError. */
export function createHanding(bound: HandingBridge, orFail: (error: unknown) => never): WailsHanding {
  const listeners = new Set<(drag: Drag) => boolean>();
  /** The acceptance last reported to the program, which starts every drag with false. */
  let accepted = false;
  /** The folder for dragged-out files: a drag does not wait for the answer. */
  let folder = "";
  bound.Lent().then(
    (address) => (folder = address),
    () => {},
  );
  const parse = (json: string) => JSON.parse(json) as Handed;

  return {
    paste: () => bound.Paste().then(parse, orFail),
    read: (id) => bound.Read(id).then(bytesOf, orFail),
    onDrag(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lend(name, content) {
      if (folder === "") return "";
      const key = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      // It is written before the user drops it. If writing fails, the dropped file is missing.
      base64Of(content)
        .then((data) => bound.Lend(key, name, data))
        .catch(() => {});
      return `${folder}${key}/${encodeURIComponent(name)}`;
    },
    dragged({ kind, x, y, number }) {
      const at = { x: x * window.innerWidth, y: y * window.innerHeight };
      const drag: Drag =
        kind === "over" ? { kind, ...at } : kind === "left" ? { kind } : { kind, ...at, handed: () => bound.Dropped(number ?? 0).then(parse, orFail) };
      let taken = false;
      for (const listener of listeners) taken = listener(drag) || taken;
      if (kind !== "over") accepted = false;
      else if (taken !== accepted) {
        accepted = taken;
        bound.Accept(taken).catch(() => {});
      }
    },
  };
}
