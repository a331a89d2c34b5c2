// Chinese, Japanese and Korean are written without spaces, with their own punctuation. By CommonMark, such punctuation
// next to bold or struck text prevents it: "**注意：**先保存". Here it counts as letters, and a letter next to other punctuation is allowed:
// "**“重点”**的".

import type { Lexer } from "marked";

const CJK = "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\u3000-\\u303f\\uff00-\\uffef";

/** marked's rules with rewritten character classes, cached. */
const adapted = new WeakMap<RegExp, RegExp>();

function adapt(rule: RegExp, more: (source: string) => string): RegExp {
  let known = adapted.get(rule);
  if (!known) {
    const source = rule.source
      .replaceAll("[^\\s\\p{P}\\p{S}]", "\u0001")
      .replaceAll("[\\s\\p{P}\\p{S}]", `(?![${CJK}])[\\s\\p{P}\\p{S}]`)
      .replaceAll("[\\p{P}\\p{S}]", `(?![${CJK}])[\\p{P}\\p{S}]`)
      .replaceAll("\u0001", `(?:[^\\s\\p{P}\\p{S}]|[${CJK}])`);
    known = new RegExp(more(source), rule.flags);
    adapted.set(rule, known);
  }
  return known;
}

const ANY = new RegExp(`[${CJK}]`, "u");
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Makes a lexer accept emphasis next to CJK text, if the source has any. */
export function besideCjk(lexer: Lexer, source: string): void {
  if (!BEYOND_ASCII.test(source) || !ANY.test(source)) return;
  // The type declares the tokenizer's rules as constant.
  const tokenizer = (lexer as unknown as { tokenizer: { rules: { inline: Record<string, RegExp> } } }).tokenizer;
  const { inline } = tokenizer.rules;
  const { emStrongLDelim, emStrongRDelimAst, delLDelim, delRDelim, punctuation } = inline;
  if (!emStrongLDelim || !emStrongRDelimAst || !delLDelim || !delRDelim || !punctuation) return;
  tokenizer.rules.inline = {
    ...inline,
    emStrongLDelim: adapt(emStrongLDelim, (source) => source),
    // The first possible end: after punctuation, before a space or the end.
    emStrongRDelimAst: adapt(emStrongRDelimAst, (source) => source.replace("(\\*+)(?=[\\s]|$)", `(\\*+)(?=[\\s${CJK}]|$)`)),
    delLDelim: adapt(delLDelim, (source) => source),
    delRDelim: adapt(delRDelim, (source) => source.replace("(~~?)(?=[\\s]|$)", `(~~?)(?=[\\s${CJK}]|$)`)),
    punctuation: adapt(punctuation, () => `^((?![*_])[\\s\\p{P}\\p{S}${CJK}])`),
  };
}

const ADDRESS = /^(?:[a-z]+:\/\/|www\.)/i;
const SIGNS = /[\s\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”‘’«»‹›…]/;

/** Whether a bare address, of a page or a user, may start here. */
export const mayBeAddress = (src: string): boolean => ADDRESS.test(src) || src.includes("@");

/** The latest end of a bare address: before a character that no address contains, or a closing bracket it did not open. */
export function endOfAddress(src: string): number {
  if (!ADDRESS.test(src)) return src.length;
  const found = src.search(SIGNS);
  const end = found < 0 ? src.length : found;
  let depth = 0;
  for (let at = 0; at < end; at++) {
    const c = src[at];
    if (c === "[" || c === "{") depth++;
    if ((c === "]" || c === "}") && --depth < 0) return at;
  }
  return end;
}
