// The style sheet of the page's first moment (src/styles/frame.css) is a file of its own, which the window's document
// contains: each file delays the first picture.

import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const source = "src/styles/frame.css";

/** A style sheet with what it imports, without comments. */
function whole(path: string): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return readFileSync(new URL(path, import.meta.url), "utf8")
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/@import "\.\/([^"]+)";/g, (_, name: string) => whole(folder + name))
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

export const frame: Plugin = {
  name: "frame",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { path, server }) =>
      path.endsWith("/index.html") ? [{ tag: "link", attrs: { rel: "stylesheet", href: server ? `/${source}` : "/frame.css" }, injectTo: "head-prepend" }] : [],
  },
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "frame.css", source: whole(source) });
  },
};
