// Parley's Markdown: GitHub's, with these differences. Raw HTML is text (an answer that mentions <Button> must show
// it); images are only shown if their bytes are in the text; a link definition is one line, so that no later line can
// change what an earlier one means; and a link whose text is a different address than its target shows the target. A
// fence ends at the next one of its length, as usual: Markdown inside Markdown needs a longer one.

import { Marked, type Token, Tokenizer, type Tokens, type TokensList } from "marked";
import { text as words } from "../../i18n";
import { lookalikeHost, safeHref } from "../../lib/links";
import { showHidden, showTurning } from "../../lib/visible";
import { drawFormula, loadMath, mathExtensions } from "./math";
import { noteExtensions } from "./notes";
import { decodeEntities } from "./entities";
import { isDataImage, sanitize } from "./sanitize";
import { besideCjk, endOfAddress, mayBeAddress } from "./cjk";

/** Link definitions by normalized label. */
export type Links = TokensList["links"];

const DEFINITION =
  /^ {0,3}\[((?!\s*\])(?:\\.|[^[\]\\\n])+)\]: *([^<\s]\S*|<[^<>\n]*>)(?: +("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\((?:\\.|[^()\\\n])*\)))? *(?:\n+|$)/;

/** A backslash before ASCII punctuation is removed. */
const unescaped = (text: string) => text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");

// Elements without attributes that have no Markdown syntax.
const INLINE_TAG = /^<(?:br ?\/?|\/?(?:kbd|sub|sup))>/i;

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

// The maximum nesting of lists and quotes. Deeper ones are text: parsing and rendering recurse with the nesting, and
// the stack is limited.
const DEEPEST = 24;
let depth = 0;

function inside<T>(read: () => T): T | undefined {
  if (depth >= DEEPEST) return undefined;
  depth++;
  try {
    return read();
  } finally {
    depth--;
  }
}

const dialect = new Marked({
  gfm: true,
  extensions: [...mathExtensions(escape), ...noteExtensions(escape)],
  tokenizer: {
    html: () => undefined,
    // Single tildes are used for ranges: "1~3 or 80~100".
    del(src, ...rest) {
      return src.startsWith("~~") ? Tokenizer.prototype.del.call(this, src, ...rest) : undefined;
    },
    url(src) {
      return mayBeAddress(src) ? Tokenizer.prototype.url.call(this, src.slice(0, endOfAddress(src))) : undefined;
    },
    blockquote(src) {
      return inside(() => Tokenizer.prototype.blockquote.call(this, src));
    },
    list(src) {
      return inside(() => Tokenizer.prototype.list.call(this, src));
    },
    def(src) {
      const match = DEFINITION.exec(src);
      if (!match) return undefined;
      const [raw, label = "", target = "", title = ""] = match;
      return {
        type: "def",
        tag: label.toLowerCase().replace(/\s+/g, " "),
        raw,
        href: unescaped(target.replace(/^<(.*)>$/, "$1")),
        title: unescaped(title.slice(1, -1)),
      };
    },
    tag(src) {
      const match = INLINE_TAG.exec(src);
      if (!match) return undefined;
      const raw = match[0];
      return { type: "html", raw, text: raw, inLink: false, inRawBlock: false, block: false };
    },
  },
  renderer: {
    // Headings of an answer are below the page's own.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    code({ text, lang }) {
      const name = /^[\w+#.-]{1,40}/.exec(lang ?? "")?.[0];
      const cls = name ? ` class="language-${name}"` : "";
      return `<pre><code${cls}>${escape(showHidden(text.replace(/\n$/, "")))}\n</code></pre>\n`;
    },
    codespan({ text }) {
      return `<code>${escape(showHidden(text))}</code>`;
    },
    checkbox({ checked }) {
      const { taskDone, taskOpen } = words().blocks;
      return `<span class="${checked ? "task-done" : "task-open"}">${escape(checked ? taskDone : taskOpen)}</span> `;
    },
    text(token) {
      if ("tokens" in token && token.tokens) return this.parser.parseInline(token.tokens);
      // marked has already escaped the text of a paragraph, but not that of an item.
      return "escaped" in token && token.escaped ? showTurning(token.text) : escape(showTurning(decodeEntities(token.text)));
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const target = decodeEntities(href);
      const safe = safeHref(target);
      if (safe !== null) {
        const host = lookalikeHost(safe, tokens.map((token) => token.raw).join(""));
        const leads = host === null ? "" : ` <code>${escape(host)}</code>`;
        return `<a href="${escape(safe)}" title="${escape(safe)}">${text}</a>${leads}`;
      }
      // It can't be followed, but may be informative: a path in the project.
      const shown = escape(showHidden(target));
      return shown === "" || shown === text ? text : `${text} <code>${shown}</code>`;
    },
    image({ href, text, tokens }) {
      // The resulting text is plain, and may be crafted to look like markup.
      const alt = escape(decodeEntities(tokens ? this.parser.parseInline(tokens, this.parser.textRenderer) : text));
      if (isDataImage(href)) return `<img src="${escape(href)}" alt="${alt}">`;
      const safe = safeHref(decodeEntities(href));
      if (safe === null) return alt;
      return `<a href="${escape(safe)}" title="${escape(safe)}">${alt || escape(words().blocks.picture)}</a>`;
    },
  },
});

/** Parses Markdown into top-level tokens, with the known definitions. New definitions are added to links. */
export function lex(source: string, links: Links): Token[] {
  const lexer = new dialect.Lexer(dialect.defaults);
  lexer.tokens.links = links;
  besideCjk(lexer, source);
  try {
    return lexer.lex(source);
  } catch (error) {
    // Anything else nested deeply enough to overflow the stack is text.
    if (!(error instanceof RangeError)) throw error;
    return [{ type: "paragraph", raw: source, text: source, tokens: [{ type: "text", raw: source, text: source, escaped: false }] }];
  }
}

/** Renders tokens as safe markup. */
export function draw(tokens: Token[]): string {
  return sanitize(dialect.parser(tokens));
}

/** Renders the formulas in an element that were left as source because the renderer was not loaded. */
export async function drawFormulas(root: ParentNode): Promise<void> {
  const marked = root.querySelectorAll("code.formula, code.formula-block");
  if (marked.length === 0) return;
  await loadMath();
  for (const code of marked) code.outerHTML = sanitize(drawFormula(code.textContent, code.className === "formula-block", escape));
}

export function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

export function isCode(token: Token): token is Tokens.Code {
  return token.type === "code";
}
