// For every test, with a page or without.

import { vi } from "vitest";

// What is waited for may take its time where much else runs. A second, which vitest and
// the testing library give it, is too short for that, and one of them has no setting.
export const PATIENCE_MS = 30_000;
const { waitFor } = vi;
vi.waitFor = (check, options) => waitFor(check, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });

// Node 20 has none, and the page asks it for the person's languages.
if (!("navigator" in globalThis)) Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-US", "en"] }, configurable: true });
