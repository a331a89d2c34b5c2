// What makes the page one that a phone can install: a manifest, the icons that the program has
// already, and a worker that says when Parley cannot be reached.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const read = (path: string) => readFileSync(new URL(path, import.meta.url));

export const shell: Plugin = {
  name: "shell",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { path }) =>
      path.endsWith("/index.html")
        ? [
            { tag: "link", attrs: { rel: "manifest", href: "/manifest.webmanifest" }, injectTo: "head" },
            { tag: "link", attrs: { rel: "apple-touch-icon", href: "/icon.png" }, injectTo: "head" },
          ]
        : [],
  },
  generateBundle() {
    const emit = (fileName: string, source: Uint8Array | string) => this.emitFile({ type: "asset", fileName, source });
    const offline = ["offline.html", "offline.css"].map((name) => ({ name, data: read(`shell/${name}`) }));
    const version = createHash("sha256");
    for (const { name, data } of offline) {
      version.update(data);
      emit(name, data);
    }
    // Another version is another worker, which fetches the pages again.
    emit("sw.js", read("shell/sw.js").toString().replace("VERSION", version.digest("hex").slice(0, 16)));
    emit("manifest.webmanifest", read("shell/manifest.webmanifest"));
    for (const kind of ["png", "svg"]) emit(`icon.${kind}`, read(`../build/appicon.${kind}`));
  },
};
