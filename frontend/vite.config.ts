import solid from "vite-plugin-solid";
import { defineConfig } from "vitest/config";

// The gallery draws the views with a made-up host. It is a page of its own, so
// that nothing of it reaches the program.
export default defineConfig(({ mode }) => ({
  plugins: [solid()],
  // Relative, because the window serves the page from its own scheme.
  base: "./",
  build: {
    outDir: mode === "gallery" ? "gallery-dist" : "dist",
    emptyOutDir: true,
    target: ["es2022", "safari17.5", "chrome123"],
    // Inlined assets would be data: URLs, which the content policy allows for
    // images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: mode === "gallery" ? "gallery.html" : "index.html" },
  },
  server: {
    // The reducer's test reads what the back end's test wrote.
    fs: { allow: [".", "../backend/transcript/testdata"] },
    // `parley serve --listen 127.0.0.1:8787` behind the development server.
    proxy: {
      "/ws": { target: "http://127.0.0.1:8787", ws: true },
      "/health": "http://127.0.0.1:8787",
    },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/test-setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
}));
