// Markdown that arrives in pieces. A top-level block is final as soon as another
// one follows it: it is read once, drawn once, and never touched again. Only the
// open block at the end is read again when text arrives, and it cannot grow
// without bound: a fenced block is carried on line by line without reading it
// as Markdown, and a list or paragraph of unusual length is cut into parts. So the
// cost of a piece depends on the piece, not on what came before it.
//
// Where the blocks lie depends on the text alone, never on how it was cut into
// pieces: the result after the last piece is the result of the whole text at once.

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
  /** Still grows ("code"). */
  open: boolean;
  /** Goes on in the next block, which shows as one with it. */
  continues: boolean;
}

// From here on an open block is looked at for a place to cut it, and here it is
// cut wherever a line or word ends.
const LONG = 4096;
const TOO_LONG = 4 * LONG;

const FENCE = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/;
const BLANK_LINES = /^(?:[ \t]*\n)+/;
// So much of the text is compared to tell whether it continues.
const SAMPLE = 256;
// A last line of nothing but markers says nothing so far.
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
  /** Characters read as Markdown so far: what the cost is measured by. */
  lexed = 0;

  // How tokens become markup; a test may leave the browser out of it.
  readonly #draw: (tokens: Token[]) => string;
  // How much has been read, with its beginning and its end. The whole of it is not
  // compared with every piece, which would cost more and more.
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

  /** Tells whether the text continues from what this stream has read. */
  continues(text: string): boolean {
    return text.length >= this.#seen && text.startsWith(this.#beginning) && text.startsWith(this.#end, this.#seen - this.#end.length);
  }

  /**
   * Takes the whole text so far, which must begin with that of the call before.
   * Returns the index of the first block that may have changed. When done, the
   * text is complete.
   */
  update(text: string, done: boolean): number {
    let added = text.slice(this.#seen);
    // The second half of a line end or of a character may be in the next piece.
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

  /** Takes one decision about the start of the tail. False when there is none to take. */
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

  // The part of the tail to read: all complete lines, or, when there is more than
  // the limit (full), up to the first line or word that ends well after it.
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

  // A single block fills the window. Lists are cut between items, paragraphs
  // where the window ends; anything else may grow further before it is cut.
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

  // Shows what is not final yet, as it will probably look.
  #showTail(): void {
    let next = this.#final;
    if (this.#fence) {
      const { lang, text, empty, indent } = this.#fence;
      const line = outdent(this.#tail, indent);
      // What may be the beginning of the closing fence is held back.
      const shown = line === "" || /^ {0,3}[`~]*$/.test(line) ? "" : (empty ? "" : "\n") + line;
      this.blocks[next++] = codeBlock(lang, text + shown, true);
    } else {
      const line = this.#tail.lastIndexOf("\n") + 1;
      const undecided = UNDECIDED.test(this.#tail.slice(line));
      const tail = undecided ? this.#tail.slice(0, line) : this.#tail;
      if (tail.trim() !== "") {
        const mended = remend(tail, { linkMode: "text-only" });
        this.lexed += mended.length;
        // Definitions count when they are final.
        const links = Object.assign(Object.create(null) as Links, this.#links);
        for (const token of lex(mended, links)) {
          const block = this.#block(token);
          if (block) this.blocks[next++] = block;
        }
      }
    }
    this.blocks.length = next;
  }

  // Definitions may stand after the links that use them. Returns the first block
  // that was drawn again.
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

/** The index of the token in which a formula begins that may end in what follows, -1 when there is none. */
function formulaAt(source: string, tokens: Token[]): number {
  const at = openFormula(source);
  let end = 0;
  return at < 0 ? -1 : tokens.findIndex((token) => (end += token.raw.length) > at && ["paragraph", "heading", "table"].includes(token.type));
}

/** The index of the last token that shows something. */
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

/** Reads a whole text at once. */
export function readMarkdown(text: string): MarkdownBlock[] {
  const stream = new MarkdownStream();
  stream.update(text, true);
  return stream.blocks;
}
