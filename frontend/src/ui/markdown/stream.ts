// Markdown that arrives in pieces. A top-level block is final once another one follows it:
// it is parsed once, rendered once, and never touched again. Only the open block at the end
// is parsed again when text arrives, and its size is bounded: a fenced block is continued
// line by line without parsing it as Markdown, and an unusually long list or paragraph is
// split. So the cost of a piece depends on the piece, not on the text before it.
//
// Block boundaries depend on the text alone, never on how it was split into pieces: the
// result after the last piece equals that of parsing the whole text at once.

import remend from "remend";
import { draw, isCode, isList, lex, type Links } from "./dialect";
import { openFormula } from "./math";
import type { Token } from "marked";

/** One top-level block, ready to show. */
export interface MarkdownBlock {
  kind: "html" | "code";
  /** Safe markup ("html"). */
  html: string;
  /** The language as the author wrote it, "" for none, and the text ("code"). */
  lang: string;
  text: string;
  /** Whether it may still grow ("code"). */
  open: boolean;
  /** Whether it continues in the next block, which is displayed as one with it. */
  continues: boolean;
}

// From the first length on, a possible split of an open block is searched; from the second on, it is split at any line
// or word.
const LONG = 4096;
const TOO_LONG = 4 * LONG;

const FENCE = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/;
const BLANK_LINES = /^(?:[ \t]*\n)+/;
// The amount of text compared to detect a continuation.
const SAMPLE = 256;
// A last line of only markers is still ambiguous.
const UNDECIDED = /^(?:[-*+_#>=|:~`!\s]*|\s*\d{1,9}[.)]?\s*)$/;

interface Fence {
  lang: string;
  indent: number;
  closer: RegExp;
  text: string;
  empty: boolean;
}

export class MarkdownStream {
  readonly blocks: MarkdownBlock[] = [];
  /** Characters parsed as Markdown, the measure of the cost. */
  lexed = 0;

  // Converts tokens to markup; tests may replace it to run without a browser.
  readonly #draw: (tokens: Token[]) => string;
  // The length of the text processed, with its beginning and end. Comparing all of it with every piece would cost more
  // and more.
  #seen = 0;
  #beginning = "";
  #end = "";
  #final = 0;
  #tail = "";
  #tried = 0;
  #limit = LONG;
  #fence: Fence | null = null;
  #links: Links = Object.create(null) as Links;
  // Sources of final blocks that a later definition might change.
  #sources = new Map<number, string>();

  constructor(drawTokens: (tokens: Token[]) => string = draw) {
    this.#draw = drawTokens;
  }

  /** Whether the text continues the one processed by this stream. */
  continues(text: string): boolean {
    return text.length >= this.#seen && text.startsWith(this.#beginning) && text.startsWith(this.#end, this.#seen - this.#end.length);
  }

  /**
   * Processes the whole text received, which must start with that of the previous call. Returns the index of the first
   * block that may have changed. When done, the text is complete.
   */
  update(text: string, done: boolean): number {
    let added = text.slice(this.#seen);
    // The second half of a line break or a character may be in the next piece.
    if (!done && /[\r\ud800-\udbff]$/.test(added)) added = added.slice(0, -1);
    this.#seen += added.length;
    if (this.#beginning.length < SAMPLE) this.#beginning = text.slice(0, Math.min(this.#seen, SAMPLE));
    this.#end = (this.#end + added).slice(-SAMPLE);
    this.#tail += added.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");
    if (done && this.#tail !== "" && !this.#tail.endsWith("\n")) this.#tail += "\n";

    let from = this.#final;
    while (this.#step(done));
    if (done) {
      if (this.#fence) this.#closeFence();
      from = this.#resolve(from);
      this.blocks.length = this.#final;
    } else {
      this.#showTail();
    }
    return from;
  }

  /** Makes one decision about the start of the tail. False if there is none to make. */
  #step(done: boolean): boolean {
    if (this.#fence) return this.#carryOn(this.#fence);
    if (this.#tried === 0) this.#tail = this.#tail.replace(BLANK_LINES, "");
    const fence = FENCE.exec(this.#tail);
    if (fence) {
      this.#openFence(fence);
      return true;
    }
    const { end, full } = this.#window();
    const whole = done && !full;
    if (end === 0 || (end === this.#tried && !whole && !full)) return false;
    this.#tried = end;

    const source = this.#tail.slice(0, end);
    const tokens = this.#lex(source);
    const fenced = tokens.findIndex((t) => isCode(t) && t.codeBlockStyle !== "indented");
    const formula = whole ? -1 : formulaAt(source, tokens);
    if (formula === 0 && !full) return false;
    const first = formula > 0 && (fenced <= 0 || formula < fenced) ? formula : fenced;
    const keep = first > 0 ? first : whole ? tokens.length : lastBlock(tokens);
    if (keep > 0) {
      this.#commit(tokens.slice(0, keep));
      return true;
    }
    if (!full) return false;
    this.#cut(source, tokens);
    return true;
  }

  // The part of the tail to parse: all complete lines, or, beyond the limit (full), up to the first line or word that
  // ends well after it.
  #window(): { end: number; full: boolean } {
    const tail = this.#tail;
    const limit = this.#limit;
    const line = tail.indexOf("\n", limit);
    if (line >= 0 && line < 2 * limit) return { end: line + 1, full: true };
    if (tail.length > 2 * limit) {
      const word = tail.slice(2 * limit, 4 * limit).search(/[ \n]/);
      if (word >= 0) return { end: 2 * limit + word + 1, full: true };
      if (tail.length > 4 * limit) {
        const split = /[\ud800-\udbff]/.test(tail[4 * limit - 1] ?? "");
        return { end: 4 * limit - (split ? 1 : 0), full: true };
      }
    }
    return { end: tail.lastIndexOf("\n") + 1, full: false };
  }

  #lex(source: string): Token[] {
    this.lexed += source.length;
    return lex(source, this.#links);
  }

  #commit(tokens: Token[]): void {
    let length = 0;
    for (const token of tokens) {
      length += token.raw.length;
      this.#add(token);
    }
    this.#drop(length);
  }

  #add(token: Token): void {
    const block = this.#block(token);
    if (!block) return;
    if (block.kind === "html" && token.raw.includes("[")) this.#sources.set(this.#final, token.raw);
    this.blocks[this.#final++] = block;
  }

  #block(token: Token): MarkdownBlock | null {
    if (token.type === "space" || token.type === "def") return null;
    if (isCode(token)) return codeBlock(language(token.lang ?? ""), token.text);
    return { kind: "html", html: this.#draw([token]), lang: "", text: "", open: false, continues: false };
  }

  #drop(length: number): void {
    this.#tail = this.#tail.slice(length);
    this.#tried = 0;
    this.#limit = LONG;
  }

  // A single block fills the window. Lists are split between items, paragraphs where the window ends; anything else may
  // grow further first.
  #cut(source: string, tokens: Token[]): void {
    const token = tokens.find((t) => t.type !== "space");
    if (token && isList(token) && token.items.length > 1) {
      const length = token.items.slice(0, -1).reduce((sum, item) => sum + item.raw.length, 0);
      this.#commit(this.#lex(source.slice(0, length)));
    } else if (token?.type === "paragraph" || this.#limit >= TOO_LONG) {
      this.#commit(tokens);
    } else {
      this.#limit *= 2;
      return;
    }
    const last = this.blocks[this.#final - 1];
    if (last) last.continues = true;
  }

  #openFence(match: RegExpExecArray): void {
    const [whole, indent = "", marker = "", info = ""] = match;
    const char = marker[0] ?? "`";
    this.#fence = {
      lang: language(info),
      indent: indent.length,
      closer: new RegExp(`^ {0,3}${char}{${marker.length},} *$`),
      text: "",
      empty: true,
    };
    this.#drop(whole.length);
    this.blocks[this.#final] = codeBlock(this.#fence.lang, "", true);
  }

  // Moves complete lines from the tail into the open fence. True when it closed.
  #carryOn(fence: Fence): boolean {
    let from = 0;
    for (;;) {
      const end = this.#tail.indexOf("\n", from);
      if (end < 0) break;
      const line = this.#tail.slice(from, end);
      from = end + 1;
      if (fence.closer.test(line)) {
        this.#tail = this.#tail.slice(from);
        this.#closeFence();
        return true;
      }
      fence.text += (fence.empty ? "" : "\n") + outdent(line, fence.indent);
      fence.empty = false;
    }
    this.#tail = this.#tail.slice(from);
    return false;
  }

  #closeFence(): void {
    if (!this.#fence) return;
    this.blocks[this.#final++] = codeBlock(this.#fence.lang, this.#fence.text);
    this.#fence = null;
    this.#drop(0);
  }

  // Shows what is not final yet in its likely form.
  #showTail(): void {
    let next = this.#final;
    if (this.#fence) {
      const { lang, text, empty, indent } = this.#fence;
      const line = outdent(this.#tail, indent);
      // A possible start of the closing fence is held back.
      const shown = line === "" || /^ {0,3}[`~]*$/.test(line) ? "" : (empty ? "" : "\n") + line;
      this.blocks[next++] = codeBlock(lang, text + shown, true);
    } else {
      const line = this.#tail.lastIndexOf("\n") + 1;
      const undecided = UNDECIDED.test(this.#tail.slice(line));
      const tail = undecided ? this.#tail.slice(0, line) : this.#tail;
      if (tail.trim() !== "") {
        const mended = remend(tail, { linkMode: "text-only" });
        this.lexed += mended.length;
        // Definitions count once they are final.
        const links = Object.assign(Object.create(null) as Links, this.#links);
        for (const token of lex(mended, links)) {
          const block = this.#block(token);
          if (block) this.blocks[next++] = block;
        }
      }
    }
    this.blocks.length = next;
  }

  // Definitions may follow the links that use them. Returns the first block that was rendered again.
  #resolve(from: number): number {
    if (Object.keys(this.#links).length === 0) return from;
    let first = from;
    for (const [index, source] of this.#sources) {
      const block = this.blocks[index];
      const token = this.#lex(source)[0];
      const fresh = token && this.#block(token);
      if (!block || !fresh || fresh.html === block.html) continue;
      block.html = fresh.html;
      first = Math.min(first, index);
    }
    return first;
  }
}

/** The index of the token with the start of a formula that may end in later text, -1 for none. */
function formulaAt(source: string, tokens: Token[]): number {
  const at = openFormula(source);
  let end = 0;
  return at < 0 ? -1 : tokens.findIndex((token) => (end += token.raw.length) > at && ["paragraph", "heading", "table"].includes(token.type));
}

/** The index of the last visible token. */
function lastBlock(tokens: Token[]): number {
  return Math.max(
    0,
    tokens.findLastIndex((t) => t.type !== "space"),
  );
}

function codeBlock(lang: string, text: string, open = false): MarkdownBlock {
  return { kind: "code", html: "", lang, text, open, continues: false };
}

function language(info: string): string {
  return /^\s*([^\s{]{0,40})/.exec(info)?.[1] ?? "";
}

function outdent(line: string, indent: number): string {
  let n = 0;
  while (n < indent && line[n] === " ") n++;
  return line.slice(n);
}

/** Parses a whole text at once. */
export function readMarkdown(text: string): MarkdownBlock[] {
  const stream = new MarkdownStream();
  stream.update(text, true);
  return stream.blocks;
}
