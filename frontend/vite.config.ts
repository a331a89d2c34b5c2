import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import solid from "vite-plugin-solid";
import { defineConfig } from "vitest/config";
import compileProps from "./compile-props.ts";

/**
 * Makes rem of the px in style sheets, so that everything grows with the zoom, which
 * is the size of the root's font. Lines of up to 3 px stay as thin as they are, and
 * media queries ask for the window's own size.
 */
const scaled: Plugin = {
  name: "px-to-rem",
  enforce: "pre",
  transform: {
    filter: { id: /\/src\/.*\.css$/ },
    handler: (css) => css.replace(/^.*$/gm, (line) => (line.includes("@media") ? line : line.replace(/(?<![\w.#-])(-?\d*\.?\d+)px\b/g, rem))),
  },
};

const rem = (whole: string, px: string) => (Math.abs(Number(px)) <= 3 ? whole : `${Number(px) / 16}rem`);

/**
 * Lets browsers find the rules for an element by its part. They sort rules by the names of
 * attributes and not by values, so that every slot would be tried against the rules of all
 * slots. Sources and tests name a part by data-component or data-slot; what is built has
 * beside it an attribute for this value alone, which is what the built styles select.
 */
const parts: Plugin = {
  name: "parts-by-name",
  enforce: "pre",
  transform: {
    filter: { id: /\/(src|gallery)\/.*\.(css|tsx?)$/ },
    handler: (code, id) =>
      id.endsWith(".css")
        ? code.replace(/\[(data-component|data-slot)="([\w-]+)"\]/g, "[$1-$2]")
        : code
            .replace(/(?<=\s)(data-component|data-slot)="([\w-]+)"/g, '$& $1-$2=""')
            .replace(/(?<=\s)(data-slot)=\{([^{}]+)\}/g, '$& {...{ ["$1-" + ($2)]: "" }}')
            .replace(/(\w+)\.dataset\["(component|slot)"\] = "([\w-]+)"/g, '$&, $1.setAttribute("data-$2-$3", "")'),
  },
};

/** Has the icons of lucide-solid drawn by a component that is made for many of them. */
const icons: Plugin = {
  name: "icons",
  enforce: "pre",
  resolveId: {
    filter: { id: /^\.\.\/Icon$/ },
    handler: (_id, importer) => (/\/lucide-solid\/dist\/source\/icons\//.test(importer ?? "") ? fileURLToPath(new URL("src/ui/icon.ts", import.meta.url)) : null),
  },
};

// The gallery draws the views with a made-up host. It is a page of its own, so
// that nothing of it reaches the program.
export default defineConfig(({ mode }) => ({
  plugins: [icons, parts, solid({ babel: { plugins: [compileProps] } }), scaled],
  // Absolute, because sessions have addresses of their own below it.
  base: "/",
  build: {
    outDir: mode === "gallery" ? "gallery-dist" : "dist",
    emptyOutDir: true,
    target: ["es2022", "safari17.5", "chrome123"],
    // Inlined assets would be data: URLs, which the content policy allows for
    // images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [mode === "gallery" ? "gallery.html" : "index.html", "workshop.html"] },
  },
  server: {
    // Tests read what the back end's tests wrote or go through.
    fs: { allow: [".", "../backend/transcript/testdata", "../app/testdata"] },
    // `parley serve --listen 127.0.0.1:8787` behind the development server.
    proxy: {
      "/ws": { target: "http://127.0.0.1:8787", ws: true },
      "/health": "http://127.0.0.1:8787",
    },
  },
  test: {
    // A page for each file costs more than most tests: only these have one.
    projects: [
      { extends: true, test: { name: "plain", environment: "node", include: ["src/**/*.test.ts"], exclude: ["src/**/*.dom.test.ts"], setupFiles: ["src/test-setup.ts"] } },
      { extends: true, test: { name: "dom", environment: "jsdom", include: ["src/**/*.test.tsx", "src/**/*.dom.test.ts"], setupFiles: ["src/test-setup-dom.ts"] } },
    ],
    maxWorkers: "100%",
    // Tests read the colours, and what rules there are.
    css: { include: [/styles\/\w+\.css/, /\.css\?raw/] },
    restoreMocks: true,
    // These are for what hangs: how fast something is, benchmarks say.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
}));
