/* oxlint-disable no-control-regex, no-misleading-character-class -- such characters are what this file is about */

// External text may contain invisible characters: bidirectional overrides that make a command look different,
// zero-width characters, terminal controls. Where a user decides based on a text, they are shown by their code point.

/** A run of plain text, or one hidden character by its code point ("U+202E"). */
export type Segment = { text: string; hidden: false } | { text: string; hidden: true };

// Changes the reading direction, or encodes invisible text.
const TURNING = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

// A joiner between emoji combines them, and one between letters of Arabic and Indic scripts affects their form: those
// are not marked.
const JOINS =
  /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})|(?<=[\u0600-\u06ff\u0900-\u0dff])[\u200c\u200d](?=[\u0600-\u06ff\u0900-\u0dff])/u;

// C0 except tab and line feed, DEL and C1, soft hyphen, Arabic letter mark,
// zero-width characters, bidirectional controls, invisible operators, fillers,
// variation selectors' supplement and tags.
const ALWAYS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]/u;
const HIDDEN = new RegExp(`${ALWAYS.source}|(?!${JOINS.source})[\\u200c\\u200d]`, "gu");
// Without the "g" flag, which would make the regular expression stateful.
const ANY_HIDDEN = new RegExp(HIDDEN.source, "u");

function name(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Whether the text contains a character that a user would not see. */
export function hasHidden(text: string): boolean {
  return ANY_HIDDEN.test(text);
}

/** Splits a text into plain runs and hidden characters. A carriage return before a line feed counts as plain. */
export function segments(text: string): Segment[] {
  const out: Segment[] = [];
  const plain = text.replace(/\r\n/g, "\n");
  let from = 0;
  for (const match of plain.matchAll(HIDDEN)) {
    if (match.index > from) out.push({ text: plain.slice(from, match.index), hidden: false });
    out.push({ text: name(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < plain.length) out.push({ text: plain.slice(from), hidden: false });
  return out;
}

/** The text with each hidden character as ⟨U+202E⟩. */
export function showHidden(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(HIDDEN, (char) => `⟨${name(char)}⟩`);
}

/** Prose, in which only characters that change how it reads are shown. */
export function showTurning(text: string): string {
  return text.replace(TURNING, (char) => `⟨${name(char)}⟩`);
}
