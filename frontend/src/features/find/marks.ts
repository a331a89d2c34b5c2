// Marks matches in the visible messages with CSS highlights, without changing the DOM. Browsers without highlights show
// none.

import type { Query, Spot } from "./model";

/** The maximum number of marks; one screen has far fewer. */
const MOST_RANGES = 2000;
/** Content that nobody wrote: labels for screen readers, buttons, the language above code, marks of tasks and notes. */
const ASIDE = ".visually-hidden, button, figcaption, .task-done, .task-open, .note-label, .note-ref";
/** A match does not extend beyond these. */
const BLOCKS = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, div, dt, dd, article";
const ALL = "parley-find";
const CURRENT = "parley-find-current";

/** Matches like the program: ignoring case unless requested. */
export function pattern(query: Query): RegExp | null {
  if (query.text === "") return null;
  const text = query.text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
  const whole = query.words ? String.raw`(?<![\p{L}\p{Nd}_])${text}(?![\p{L}\p{Nd}_])` : text;
  return new RegExp(whole, query.matchCase ? "gu" : "giu");
}

/** The matches in an element's text, in order. A match may span several nodes. */
export function rangesIn(element: Element, find: RegExp, most = MOST_RANGES): Range[] {
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  let block: Element | null | undefined;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof HTMLBRElement) text += "\n";
    if (!(node instanceof Text) || node.parentElement?.closest(ASIDE)) continue;
    const within = node.parentElement?.closest(BLOCKS);
    if (within !== block) text += "\n";
    block = within;
    nodes.push({ node, start: text.length });
    // A line break in the source only is a space.
    text += within?.closest('[data-slot="html"]') && !within.closest("pre") ? node.data.replaceAll("\n", " ") : node.data;
  }
  const ranges: Range[] = [];
  let i = 0;
  for (const match of text.matchAll(find)) {
    if (ranges.length >= most || match[0] === "") break;
    const from = match.index;
    const to = from + match[0].length;
    while (i + 1 < nodes.length && (nodes[i + 1]?.start ?? 0) <= from) i++;
    let last = i;
    while (last + 1 < nodes.length && (nodes[last + 1]?.start ?? 0) < to) last++;
    const first = nodes[i];
    const end = nodes[last];
    if (!first || !end) break;
    const range = document.createRange();
    range.setStart(first.node, from - first.start);
    range.setEnd(end.node, to - end.start);
    ranges.push(range);
  }
  return ranges;
}

/** Draws the marks in a conversation and returns the range of the current match, if it is on the page. */
export function mark(root: Element, query: Query, spot: Spot | null): Range | null {
  unmark();
  const find = pattern(query);
  if (!find || typeof Highlight === "undefined") return null;
  const all: Range[] = [];
  for (const message of root.querySelectorAll("[data-message-id]")) {
    if (all.length >= MOST_RANGES) break;
    // A subagent's messages are nested in another.
    if (!message.parentElement?.closest("[data-message-id]")) all.push(...rangesIn(message, find, MOST_RANGES - all.length));
  }
  CSS.highlights.set(ALL, new Highlight(...all));
  const current = spot ? rangeOf(root, find, spot) : null;
  if (current) {
    const top = new Highlight(current);
    top.priority = 1;
    CSS.highlights.set(CURRENT, top);
  }
  return current;
}

/** Removes all marks. */
export function unmark(): void {
  if (typeof Highlight === "undefined") return;
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(CURRENT);
}

function rangeOf(root: Element, find: RegExp, { hit, nth }: Spot): Range | null {
  const message = root.querySelector(`[data-message-id="${CSS.escape(hit.messageId)}"]`);
  if (!message) return null;
  const block = hit.blockId ? message.querySelector(`[data-block-id="${CSS.escape(hit.blockId)}"]`) : null;
  const ranges = rangesIn(block ?? message, find);
  // The rendered text may have fewer matches than the source: a formula, for example.
  const place = ranges[Math.min(nth, ranges.length - 1)];
  const line = block?.querySelector('[data-slot="line"]');
  if (place || !line) return place ?? null;
  // The match is folded: mark the line that stands for it.
  const folded = document.createRange();
  folded.selectNodeContents(line);
  return folded;
}
