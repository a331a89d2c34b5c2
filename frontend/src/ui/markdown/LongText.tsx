import { createRenderEffect, type JSX } from "solid-js";
import { hasHidden, showHidden } from "../../lib/visible";
import "./LongText.css";

// Lines per part. A full part is never touched again, and the browser only lays out parts in view.
const PART = 64;

/** Plain text of any length. Appending costs only what is added; hidden characters are made visible. */
export function LongText(props: { text: string }): JSX.Element {
  let shown = "";
  let lines = 0;
  let part: HTMLElement | undefined;

  const root = (<div data-component="long-text" />) as HTMLElement;

  const append = (text: string) => {
    let from = 0;
    while (from < text.length) {
      let end = from;
      while (end < text.length && lines < PART) {
        const line = text.indexOf("\n", end);
        end = line < 0 ? text.length : line + 1;
        if (line >= 0) lines++;
      }
      if (!part) {
        part = document.createElement("div");
        root.append(part);
      }
      part.append(text.slice(from, end));
      from = end;
      if (lines >= PART) {
        part = undefined;
        lines = 0;
      }
    }
  };

  createRenderEffect(() => {
    const text = props.text;
    if (!text.startsWith(shown)) {
      root.replaceChildren();
      part = undefined;
      lines = 0;
      shown = "";
    }
    const added = text.slice(shown.length);
    append(hasHidden(added) ? showHidden(added) : added);
    shown = text;
  });

  return root;
}
