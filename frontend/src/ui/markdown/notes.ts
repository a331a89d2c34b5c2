// Footnotes. A definition is rendered where it is, so that a streamed text parses like the whole; a reference takes
// effect once it has a definition.

import type { TokenizerAndRendererExtension } from "marked";

const REFERENCE = /^\[\^([^\s\][^]{1,40})\]/;
// Following lines belong to it if they are indented like code.
const DEFINITION = /^ {0,3}\[\^([^\s\][^]{1,40})\]:[ \t]*([^\n]*(?:\n(?:[ \t]*\n)*(?: {4}|\t)[^\n]*)*)(?:\n+|$)/;

/** The key of a definition among the link definitions. */
const keyOf = (label: string) => `^${label.toLowerCase()}`;

/** The marked extensions for footnotes. */
export function noteExtensions(escape: (text: string) => string): TokenizerAndRendererExtension[] {
  return [
    {
      name: "note",
      level: "block",
      tokenizer(src) {
        const match = DEFINITION.exec(src);
        const [raw, label = "", words = ""] = match ?? [];
        if (raw === undefined || words.trim() === "") return undefined;
        this.lexer.tokens.links[keyOf(label)] ??= { href: "", title: "" };
        const inside = words.replace(/^(?: {4}|\t)/gm, "");
        return { type: "note", raw, label, tokens: this.lexer.blockTokens(inside, []) };
      },
      renderer(token) {
        return `<div class="note"><span class="note-label">${escape(String(token["label"]))}</span>${this.parser.parse(token.tokens ?? [])}</div>\n`;
      },
    },
    {
      name: "noteReference",
      level: "inline",
      start: (src) => {
        const at = src.indexOf("[^");
        return at < 0 ? undefined : at;
      },
      tokenizer(src) {
        const match = REFERENCE.exec(src);
        const [raw, label = ""] = match ?? [];
        if (raw === undefined || !(keyOf(label) in this.lexer.tokens.links)) return undefined;
        return { type: "noteReference", raw, label };
      },
      renderer: (token) => `<sup class="note-ref">${escape(String(token["label"]))}</sup>`,
    },
  ];
}
