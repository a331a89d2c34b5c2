// A conversation as Markdown. What was said stays as it was written, but for what
// could do something where it is read: markup is text there too, and addresses that
// are none of the web or of files lead nowhere.

import { text } from "../../i18n";
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

/** What a person copies of a message: its texts, made harmless. */
export function harmless(markdown: string): string {
  const lines: string[] = [];
  let fence = "";
  for (const line of showTurning(markdown).split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
      lines.push(line);
    } else if (mark !== "") {
      fence = mark;
      lines.push(line);
    } else lines.push(harmlessLine(line));
  }
  return lines.join("\n");
}

/** A line that is not in a fence; what stands between backticks is left alone. */
function harmlessLine(line: string): string {
  return line
    .split(/(`+[^`]*`+)/)
    .map((piece, i) => (i % 2 === 1 ? piece : targets(piece.replaceAll(/<(?=[A-Za-z/!?])(?!https?:\/\/[^\s<>]*>)/g, String.raw`\<`))))
    .join("");
}

function targets(piece: string): string {
  return piece
    .replaceAll(/(\]\(\s*<?)([^)\s>]*)/g, (_, open: string, target: string) => open + (leadsAstray(target) ? "#" : target))
    .replace(/^( {0,3}\[[^\]]+\]:\s*<?)(\S+)/, (_, open: string, target: string) => open + (leadsAstray(target) ? "#" : target));
}

/** Whether an address is of a kind that a program might carry out. */
function leadsAstray(target: string): boolean {
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

/** A fence that nothing inside can close. */
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
