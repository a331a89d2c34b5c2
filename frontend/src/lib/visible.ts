/* oxlint-disable no-control-regex -- control characters are what this file is about */

// Text from outside may hold characters that nobody sees: bidirectional
// overrides that make a command read differently from what it is, zero-width
// characters, terminal controls. Where a person decides by what they read, those
// characters are shown by their code point.

/** A run of plain text, or one hidden character by its code point ("U+202E"). */
export type Segment = { text: string; hidden: false } | { text: string; hidden: true };

// C0 except tab and line feed, DEL and C1, soft hyphen, Arabic letter mark,
// zero-width characters, bidirectional controls, invisible operators, fillers,
// variation selectors' supplement and tags.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;
// Without the "g" flag, which would make the expression remember where it was.
const ANY_HIDDEN = new RegExp(HIDDEN.source, "u");

function name(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Tells whether the text holds a character that a person would not see. */
export function hasHidden(text: string): boolean {
  return ANY_HIDDEN.test(text);
}

/** Cuts text into plain runs and hidden characters. A carriage return before a line feed counts as plain. */
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

/** The same as one string, each hidden character as ⟨U+202E⟩. */
export function showHidden(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(HIDDEN, (char) => `⟨${name(char)}⟩`);
}
