// Pasting, dropping and dragging out in the native window.

import { base64Of, bytesOf } from "../lib/object-url";
import type { Drag, DragEntry, Handed, Handing, HandingBridge } from "./handing";

export interface WailsHanding extends Handing {
  /** Takes what the program says of a drag. */
  dragged(entry: DragEntry): void;
}

/** orFail turns what a call rejects with into a HostError. */
export function createHanding(bound: HandingBridge, orFail: (error: unknown) => never): WailsHanding {
  const listeners = new Set<(drag: Drag) => boolean>();
  /** What the program was told last of whether a drop is taken; it starts every drag with no. */
  let accepted = false;
  /** Where files are put that are dragged out: a drag does not wait for the answer. */
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
      // It is there before anybody lets go. What cannot be written is missing where it is dropped.
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
