import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import solid from "vite-plugin-solid";
import { defineConfig } from "vitest/config";
import { parts } from "./compile-parts.ts";
import compileProps from "./compile-props.ts";
import { frame } from "./frame.ts";
import { shell } from "./shell.ts";
import { squeeze } from "./squeeze.ts";

/** Has the icons of lucide-solid drawn by a component that is made for many of them. */
const icons: Plugin = {
  name: "icons",
  enforce: "pre",
  resolveId: {
    filter: { id: /^\.\.\/Icon$/ },
    handler: (_id, importer) => (/\/lucide-solid\/dist\/source\/icons\//.test(importer ?? "") ? fileURLToPath(new URL("src/ui/icon.ts", import.meta.url)) : null),
  },
};

// The pages are built one by one. What two pages share would become separate files, and each file
// that the window loads costs milliseconds of its start. The gallery draws the views with a made-up
// host, and nothing of it reaches the program.
export default defineConfig(({ mode }) => ({
  plugins: [icons, parts, solid({ babel: { plugins: [compileProps] } }), ...(mode === "gallery" ? [] : [...(mode === "workshop" ? [] : [frame, shell]), squeeze])],
  // Absolute, because sessions have their own addresses below it.
  base: "/",
  build: {
    outDir: mode === "gallery" ? "gallery-dist" : "dist",
    emptyOutDir: mode !== "workshop",
    target: ["es2022", "safari17.5", "chrome123"],
    // Inlined assets would be data: URLs, which the content policy allows for
    // images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: mode === "gallery" ? ["gallery.html", "workshop.html"] : mode === "workshop" ? "workshop.html" : "index.html",
      // With everything that it imports: the window pays for each file.
      output: { codeSplitting: { groups: [{ name: "page", test: /\/src\/main\.tsx$/ }] } },
    },
  },
  server: {
    // Tests read what the back end's tests wrote or go through.
    fs: { allow: [".", "../backend/claude/transcript/testdata", "../app/testdata"] },
    // `parley serve --listen 127.0.0.1:8787` behind the development server.
    proxy: {
      "/ws": { target: "http://127.0.0.1:8787", ws: true },
      "/auth": "http://127.0.0.1:8787",
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
    // One set of modules for all files: loading them again for each is more than half of the
    // work. What a file leaves behind, the set-up puts back (test-setup*.ts).
    isolate: false,
    // Tests read the colours, and what rules there are.
    css: { include: [/styles\/\w+\.css/, /\.css\?raw/] },
    restoreMocks: true,
    // These are for what hangs: how fast something is, benchmarks say.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
}));
