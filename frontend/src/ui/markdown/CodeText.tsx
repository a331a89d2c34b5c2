import { createEffect, createRenderEffect, createSignal, type JSX, onCleanup, onMount } from "solid-js";
import { offer } from "../../lib/offers";
import { hasHidden, showHidden } from "../../lib/visible";
import { paint, RunReader } from "./colour";
import { highlight } from "./highlight";
import { plainly } from "../../lib/plainly";
import "./CodeText.css";

// Lines per part. A full part is highlighted once and never touched again, and the browser only lays out parts in view.
const PART = 64;
/** The maximum time spent applying colors at once. */
const SLICE_MS = 4;
/** Highlighting is requested within this distance from the view. */
const NEAR = "800px";

interface Part {
  element: HTMLElement;
  text: string;
  lines: number;
}

/**
 * Highlighted code of any length. Appending costs only what is added: while the text grows, only full parts are
 * highlighted, and the worker is asked again only after it grew by a quarter. Hidden characters are made visible.
 */
export function CodeText(props: { text: string; lang: string; open?: boolean }): JSX.Element {
  let taken = "";
  let parts: Part[] = [];
  let painted = 0;
  let asked = 0;
  let asking: AbortController | undefined;
  let frame: number | undefined;
  const [near, setNear] = createSignal(typeof IntersectionObserver !== "function");

  const root = (<div data-component="code-text" />) as HTMLElement;
  offer(root, { code: () => props.text });

  const append = (text: string) => {
    let from = 0;
    while (from < text.length) {
      let part = parts.at(-1);
      if (!part || part.lines >= PART) {
        part = { element: document.createElement("div"), text: "", lines: 0 };
        parts.push(part);
        root.append(part.element);
      }
      let end = from;
      while (end < text.length && part.lines < PART) {
        const line = text.indexOf("\n", end);
        end = line < 0 ? text.length : line + 1;
        if (line >= 0) part.lines++;
      }
      const added = text.slice(from, end);
      part.element.append(added);
      part.text += added;
      from = end;
    }
  };

  const stop = () => {
    asking?.abort();
    asking = undefined;
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
  };
  const reset = () => {
    stop();
    root.replaceChildren();
    parts = [];
    painted = asked = 0;
    taken = "";
  };
  onCleanup(stop);

  /** Requests highlighting of the final part of the text, if that is worthwhile. */
  const colour = (open: boolean, lang: string) => {
    const settled = open ? parts.length - 1 : parts.length;
    if (lang === "" || plainly() || settled <= asked || (open && settled < asked + Math.max(1, asked / 4))) return;
    stop();
    asked = settled;
    asking = new AbortController();
    const { signal } = asking;
    const text = parts.slice(0, settled).map((part) => part.text).join("");
    void highlight(text, lang, signal).then((runs) => {
      if (!runs || signal.aborted) return;
      const reader = new RunReader(runs);
      for (const part of parts.slice(0, painted)) reader.take(part.text.length);
      const step = () => {
        const until = performance.now() + SLICE_MS;
        frame = undefined;
        while (painted < settled) {
          const part = parts[painted];
          if (!part) return;
          paint(part.element, part.text, reader.take(part.text.length));
          painted++;
          if (performance.now() > until && painted < settled) {
            frame = requestAnimationFrame(step);
            return;
          }
        }
      };
      step();
    });
  };

  createRenderEffect(() => {
    const { text } = props;
    if (!text.startsWith(taken)) reset();
    const added = text.slice(taken.length);
    append(hasHidden(added) ? showHidden(added) : added);
    taken = text;
  });
  createEffect(() => {
    const { text, lang, open } = props;
    if (near() && text !== "") colour(open ?? false, lang);
  });

  onMount(() => {
    if (near()) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        setNear(true);
        observer.disconnect();
      },
      { rootMargin: NEAR },
    );
    observer.observe(root);
    onCleanup(() => observer.disconnect());
  });

  return root;
}
