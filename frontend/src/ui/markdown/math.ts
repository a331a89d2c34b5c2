// Formulas between dollar signs, or between \( and \) or \[ and \], rendered as MathML: no inline styles, one font that
// is loaded with the first formula, and accessible to screen readers. As in TeX, a multi-line formula must not contain
// an empty line, so that it can't swallow the rest of a conversation, and a streamed text parses like the whole.

import type { renderToString } from "katex";
import type { TokenizerAndRendererExtension } from "marked";
import { plainly } from "../../lib/plainly";

// Anything longer is not a formula.
const most = 4000;
const mostKept = 400;

const OPENING = /^ {0,3}(?:\$\$(?!\$)|\\\[)/;
const BLOCK = /^ {0,3}\$\$((?:\\[^]|[^\\$\n]|\n(?![ \t]*(?:\n|$)))+?)\$\$[ \t]*(?:\n+|$)/;
const BRACKETS = /^ {0,3}\\\[((?:\\[^\]]|[^\\\n]|\n(?![ \t]*(?:\n|$)))+?)\\\][ \t]*(?:\n+|$)/;
const LINE_OPENING = /(?:^|\n) {0,3}(?:\$\$(?!\$)|\\\[)/g;
const DISPLAY = /^\$\$((?:\\.|[^\\$\n])+)\$\$/;
// As in Pandoc: $5 or $10 is not a formula, nor is $HOME/$USER, ${A}/${B} or /^a$|^b$/.
const INLINE = /^\$(?![\s$/)\]}'",;:?!&@<])((?:\\.|[^\\$\n])*?(?:\\.|[^\\$\s/,;:"'@]))\$(?![\w$({])/;
const PARENTHESES = /^\\\(((?:\\[^)]|[^\\\n]|\n(?![ \t]*(?:\n|$)))+?)\\\)/;
const BRACKETS_INSIDE = /^\\\[((?:\\[^\]]|[^\\\n])+?)\\\](?!\()/;
// "\[1\]" is the number of a source.
const NUMBERS = /^[\d\s,;–-]+$/;
const INLINE_START = /(?<![\w\\$])\$|\\[([]/;

/** Whether something that starts with a bracket, a bar or a dot is TeX, and not from a shell, make, a script or a
 * pattern. */
function isTex(body: string): boolean {
  if (body.startsWith("{")) return /[\\^]/.test(body);
  if (body.startsWith("(")) return /[\\^]|\b[A-Za-z]_/.test(body);
  if (body.startsWith("|")) return (body.match(/\|/g)?.length ?? 0) % 2 === 0;
  return !/^\.[A-Za-z_]/.test(body);
}

/** Whether the content of escaped brackets is a formula, and not text in literal brackets. */
function isMath(body: string): boolean {
  const text = body.trim();
  return text !== "" && (/[\\^_=+*<>|\d]|\b\w\b *[-/] *\b\w\b/.test(text) || text.length <= 3);
}

/** Whether a formula on its own line is meant as one: spaces inside are only allowed if it looks like TeX. */
function isDisplay(body: string): boolean {
  return /[\\^_=+]/.test(body) || !/^\s|\s$/.test(body);
}

const mayOpen = (text: string) => text.includes("$$") || text.includes("\\[");

/** Whether a formula starts here that may end in later text. */
function isOpen(text: string): boolean {
  if (!OPENING.test(text) || text.length > most || BLOCK.test(text) || BRACKETS.test(text)) return false;
  const inside = text.replace(OPENING, "");
  const end = text.trimStart().startsWith("$") ? /(?<!\\)\$/ : /\\\]/;
  return !/\n[ \t]*\n/.test(inside) && !end.test(inside);
}

/** The position of the first line that starts a formula which may end in later text, -1 for none. */
export function openFormula(text: string): number {
  if (!mayOpen(text)) return -1;
  for (const match of text.matchAll(LINE_OPENING)) {
    const at = match.index + (match[0].startsWith("\n") ? 1 : 0);
    if (isOpen(text.slice(at))) return at;
  }
  return -1;
}

const drawn = new Map<string, string>();
let render: typeof renderToString | undefined;

/** Loads the formula renderer: it is large, and most conversations have no formulas. */
export async function loadMath(): Promise<void> {
  render = (await import("katex")).renderToString;
}

/** Unloads it, for tests that start without it. */
export function forgetMath(): void {
  render = undefined;
}

/**
 * Renders a formula as MathML inside a span, or its source if it is invalid. Before loadMath it returns the source with
 * a marker, to be rendered later. The result still has to be sanitized.
 */
export function drawFormula(source: string, display: boolean, escape: (text: string) => string): string {
  if (!render && !plainly()) return `<code class="${display ? "formula-block" : "formula"}">${escape(source)}</code>`;
  if (!render || plainly()) return `<code>${escape(source)}</code>`;
  const key = `${display ? "d" : "i"}${source}`;
  const known = drawn.get(key);
  if (known !== undefined) return known;
  let html: string;
  try {
    const math = render(source, {
      displayMode: display, output: "mathml", throwOnError: true, trust: false, strict: "ignore", maxSize: 20, maxExpand: 200, macros: {},
    });
    html = `<span class="${display ? "math-block" : "math"}">${math}</span>`;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^KaTeX parse error: /, "") : "";
    html = `<code class="math-error" title="${escape(why.slice(0, 200))}">${escape(source)}</code>`;
  }
  drawn.set(key, html);
  if (drawn.size > mostKept) drawn.delete(drawn.keys().next().value ?? "");
  return html;
}

/** The marked extensions for formulas. */
export function mathExtensions(escape: (text: string) => string): TokenizerAndRendererExtension[] {
  const token = (type: string, raw: string, text: string, display: boolean) => ({ type, raw, text: text.trim(), display });
  return [
    {
      name: "formula",
      level: "block",
      start(src) {
        // It is called with all remaining text, for each paragraph.
        if (!mayOpen(src)) return undefined;
        const at = src.search(/\n {0,3}(?:\$\$(?!\$)|\\\[)/);
        return at < 0 ? undefined : at + 1;
      },
      tokenizer(src) {
        if (!OPENING.test(src)) return undefined;
        const begin = src.slice(0, most);
        const match = BLOCK.exec(begin) ?? BRACKETS.exec(begin);
        return match?.[1]?.trim() && (match[0].trimStart().startsWith("$") || match[1].includes("\n") || (isMath(match[1]) && !NUMBERS.test(match[1]))) ? token("formula", match[0], match[1], true) : undefined;
      },
      renderer: ({ text }) => `<p>${drawFormula(String(text), true, escape)}</p>\n`,
    },
    {
      name: "inlineFormula",
      level: "inline",
      start: (src) => {
        const at = src.includes("$") || src.includes("\\") ? src.search(INLINE_START) : -1;
        return at < 0 ? undefined : at;
      },
      tokenizer(src) {
        const begin = src.slice(0, most);
        if (begin.startsWith("\\")) {
          const display = BRACKETS_INSIDE.exec(begin);
          const match = display ?? PARENTHESES.exec(begin);
          return match?.[1] && isMath(match[1]) && !(display && NUMBERS.test(match[1])) ? token("inlineFormula", match[0], match[1], display !== null) : undefined;
        }
        if (!begin.startsWith("$")) return undefined;
        const display = DISPLAY.exec(begin);
        if (display?.[1]) return isDisplay(display[1]) ? token("inlineFormula", display[0], display[1], true) : undefined;
        const match = INLINE.exec(begin);
        return match?.[1] && isTex(match[1]) ? token("inlineFormula", match[0], match[1], false) : undefined;
      },
      renderer: ({ text, display }) => drawFormula(String(text), display === true, escape),
    },
  ];
}
