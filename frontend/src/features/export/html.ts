// A conversation as one HTML file: no scripts, no requests, and all messages pass through the page's sanitizer.

import { locale, text } from "../../i18n";
import { draw, lex, type Links } from "../../ui/markdown/dialect";
import { showHidden } from "../../lib/visible";
import styles from "./document.css?inline";
import { type Entry, type Head, type Part, when } from "./parts";

/** The body: headings and articles, safe to embed. */
export function toBody(head: Head, entries: readonly Entry[]): string {
  const words = text().exporting.doc;
  const top =
    `<header><h1 dir="auto">${plain(head.title)}</h1>` +
    `<p>${plain(words.folder)}: <code>${plain(head.folder)}</code><br>${plain(words.exported)}: ${plain(when(head.at))}</p></header>`;
  return top + entries.map(article).join("\n");
}

/** The whole file. */
export function toDocument(head: Head, entries: readonly Entry[]): string {
  return (
    `<!doctype html>\n<html lang="${locale()}" dir="${document.documentElement.dir || "ltr"}">\n<head>\n<meta charset="utf-8">\n` +
    // Defense in depth: whatever gets through still can't run.
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">\n` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n` +
    `<title>${plain(head.title)}</title>\n<style>${styles}</style>\n</head>\n<body>\n<main class="parley-export">${toBody(head, entries)}</main>\n</body>\n</html>\n`
  );
}

function article(entry: Entry): string {
  const kinds = [entry.own ? "own" : "", entry.nested ? "nested" : ""].filter(Boolean).join(" ");
  return (
    `<article${kinds ? ` class="${kinds}"` : ""}><h2>${plain(entry.who)} <time datetime="${new Date(entry.at).toISOString()}">${plain(when(entry.at))}</time></h2>` +
    `${entry.parts.map((part) => drawPart(part, entry.own)).join("\n")}</article>`
  );
}

function drawPart(part: Part, own: boolean): string {
  const words = text().exporting.doc;
  switch (part.kind) {
    case "text":
      // User text isn't rendered as Markdown on the page either.
      return own ? `<p class="typed" dir="auto">${plain(part.text)}</p>` : markdown(part.text);
    case "thinking":
      return `<details><summary>${plain(words.thinking)}</summary>${markdown(part.text)}</details>`;
    case "tool":
      return part.input === "" && part.output === ""
        ? `<p class="tool">${plain(part.line)}</p>`
        : `<details class="tool"><summary>${plain(part.line)}</summary>${box(words.input, part.input)}${box(words.output, part.output)}</details>`;
  }
}

function markdown(source: string): string {
  const links: Links = Object.create(null) as Links;
  return `<div dir="auto">${draw(lex(source, links))}</div>`;
}

function box(name: string, content: string): string {
  return content === "" ? "" : `<h3>${plain(name)}</h3><pre><code>${plain(content)}</code></pre>`;
}

function plain(content: string): string {
  return showHidden(content).replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
