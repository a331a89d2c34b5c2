// A conversation as Markdown. Messages stay as written, except for anything active in a reader: markup becomes text,
// external images become links, and addresses that are neither web nor file lead nowhere.

import { Marked, type Token } from "marked";
import { text } from "../../i18n";
import { isDataImage } from "../../ui/markdown/sanitize";
import { showHidden, showTurning } from "../../lib/visible";
import { type Entry, type Head, type Part, when } from "./parts";

export function toMarkdown(head: Head, entries: readonly Entry[]): string {
  const words = text().exporting.doc;
  const out = [`# ${oneLine(head.title)}`, `${words.folder}: ${inline(head.folder)}  \n${words.exported}: ${when(head.at)}`];
  for (const entry of entries) {
    out.push(`${entry.nested ? "###" : "##"} ${entry.who}, ${when(entry.at)}`);
    for (const part of entry.parts) out.push(partText(part));
  }
  return `${out.join("\n\n")}\n`;
}

/**
 * The texts of a message, sanitized for export. Code stays as it is, where a full Markdown
 * reader treats it as code.
 */
export function harmless(markdown: string): string {
  const source = showTurning(markdown);
  const made = defuse(source, codeOf(source));
  return lives(made) ? defuse(source, []) : made;
}

const reader = new Marked({ gfm: true });

function walk(tokens: readonly Token[], visit: (token: Token) => void): void {
  void reader.walkTokens([...tokens], visit);
}

/** The ranges of code in a text, line by line, because lists and quotes prefix their lines. */
function codeOf(source: string): [from: number, to: number][] {
  const found: [number, number][] = [];
  let at = 0;
  walk(lexed(source), (token) => {
    if (token.type !== "code" && token.type !== "codespan") return;
    for (const line of token.raw.split("\n").map((l) => l.trim())) {
      const from = line === "" ? -1 : source.indexOf(line, at);
      if (from < 0) continue;
      at = from + line.length;
      found.push([from, at]);
    }
  });
  return found;
}

function lexed(source: string): readonly Token[] {
  try {
    return reader.lexer(source);
  } catch (error) {
    // Text nested deeply enough to overflow the stack has no code.
    if (!(error instanceof RangeError)) throw error;
    return [];
  }
}

/** Whether a text still contains something active. */
function lives(markdown: string): boolean {
  let found = false;
  walk(lexed(markdown), (token) => {
    if (token.type === "html") found = true;
    else if (token.type === "image") found ||= !isDataImage(token.href as string);
    else if (token.type === "link") found ||= leadsAstray(token.href as string);
  });
  return found;
}

/** Sanitizes a text, except for the ranges of code. */
function defuse(source: string, code: readonly (readonly [from: number, to: number])[]): string {
  let out = "";
  let at = 0;
  for (const [from, to] of code) {
    out += plainText(source.slice(at, from)) + source.slice(from, to);
    at = to;
  }
  return out + plainText(source.slice(at));
}

function plainText(piece: string): string {
  return (
    piece
      .replaceAll(/<(?=[A-Za-z/!?])(?!https?:\/\/[^\s<>]*>)/g, String.raw`\<`)
      // An external image reveals the reader to its server; a link only does so when followed.
      .replaceAll(/!(?=\[)(?!\[[^[\]]*\]\(data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/]+={0,2}\))/gi, String.raw`\!`)
      .replaceAll(/(\]\(\s*<?)([^)\s>]*)/g, (_, open: string, target: string) => open + (leadsAstray(target) ? "#" : target))
      .replaceAll(/^((?:[ \t>*+-]|\d+[.)])*\[[^\]]+\]:\s*<?)(\S+)/gm, (_, open: string, target: string) => open + (leadsAstray(target) ? "#" : target))
  );
}

/** Whether a program might execute an address of this kind. */
function leadsAstray(target: string): boolean {
  if (isDataImage(target)) return false;
  const decoded = new DOMParser().parseFromString(target.replaceAll("<", "%3C"), "text/html").documentElement.textContent;
  // oxlint-disable-next-line no-control-regex -- browsers leave them out of addresses
  const plain = decoded.replaceAll(/[\u0000-\u0020\\]/g, "");
  const scheme = /^([^/?#]*?):/.exec(plain)?.[1]?.toLowerCase();
  return scheme !== undefined && !["http", "https", "mailto"].includes(scheme);
}

function partText(part: Part): string {
  const words = text().exporting.doc;
  switch (part.kind) {
    case "text":
      return harmless(part.text);
    case "thinking":
      return harmless(`${words.thinking}: ${part.text}`).replaceAll(/^/gm, "> ");
    case "tool": {
      const boxes = [[words.input, part.input], [words.output, part.output]].filter(([, content]) => content !== "");
      return [`- ${inline(part.line)}`, ...boxes.map(([name = "", content = ""]) => `${name}:\n\n${fenced(content)}`)].join("\n\n");
    }
  }
}

/** A fence that its content can't close. */
function fenced(content: string): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map((m) => m[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${showHidden(content)}\n${fence}`;
}

function inline(content: string): string {
  const longest = Math.max(0, ...[...content.matchAll(/`+/g)].map((m) => m[0].length));
  const ticks = "`".repeat(longest + 1);
  const pad = longest > 0 ? " " : "";
  return `${ticks}${pad}${showHidden(content).replaceAll("\n", " ")}${pad}${ticks}`;
}

const oneLine = (title: string) => harmless(showHidden(title).replaceAll(/\s+/g, " "));
