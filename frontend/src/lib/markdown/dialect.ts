// The Markdown that Parley reads: GitHub's, with these differences. Raw HTML is
// text (an answer that says <Button> must show it), images are shown only when
// their bytes are in the text, and a link definition is one line, so that no
// later line can change what an earlier one means.

import { Marked, type Token, type Tokens, type TokensList } from "marked";
import { safeHref } from "../links";
import { showHidden } from "../visible";
import { isDataImage, sanitize } from "./sanitize";

/** Link definitions by normalised label. */
export type Links = TokensList["links"];

const DEFINITION =
  /^ {0,3}\[((?!\s*\])(?:\\.|[^[\]\\\n])+)\]: *([^<\s]\S*|<[^<>\n]*>)(?: +("[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))? *(?:\n+|$)/;

// Elements without attributes that have no Markdown of their own.
const INLINE_TAG = /^<(?:br ?\/?|\/?(?:kbd|sub|sup))>/i;

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

const dialect = new Marked({
  gfm: true,
  tokenizer: {
    html: () => undefined,
    def(src) {
      const match = DEFINITION.exec(src);
      if (!match) return undefined;
      const [raw, label = "", target = "", title = ""] = match;
      return {
        type: "def",
        tag: label.toLowerCase().replace(/\s+/g, " "),
        raw,
        href: target.replace(/^<(.*)>$/, "$1"),
        title: title.slice(1, -1),
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
    // Headings of an answer stand below the page's own.
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    code({ text, lang }) {
      const name = /^[\w+#.-]{1,40}/.exec(lang ?? "")?.[0];
      const cls = name ? ` class="language-${name}"` : "";
      return `<pre><code${cls}>${escape(showHidden(text))}\n</code></pre>\n`;
    },
    codespan({ text }) {
      return `<code>${escape(showHidden(text))}</code>`;
    },
    checkbox({ checked }) {
      return `<span>${checked ? "☑" : "☐"}</span> `;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const safe = safeHref(href);
      if (safe !== null) return `<a href="${escape(safe)}" title="${escape(safe)}">${text}</a>`;
      // Not an address to follow, but perhaps one to read: a path in the project.
      const shown = escape(showHidden(href));
      return shown === "" || shown === text ? text : `${text} <code>${shown}</code>`;
    },
    image({ href, text }) {
      const alt = escape(text);
      if (isDataImage(href)) return `<img src="${escape(href)}" alt="${alt}">`;
      const safe = safeHref(href);
      if (safe === null) return alt;
      return `<a href="${escape(safe)}" title="${escape(safe)}">${alt || "Image"}</a>`;
    },
  },
});

/** Reads Markdown into top-level tokens, with the definitions known so far. New definitions are added to links. */
export function lex(source: string, links: Links): Token[] {
  const lexer = new dialect.Lexer(dialect.defaults);
  lexer.tokens.links = links;
  return lexer.lex(source);
}

/** Draws tokens as safe markup. */
export function draw(tokens: Token[]): string {
  return sanitize(dialect.parser(tokens));
}

export function isList(token: Token): token is Tokens.List {
  return token.type === "list";
}

export function isCode(token: Token): token is Tokens.Code {
  return token.type === "code";
}
