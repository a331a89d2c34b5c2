// Changes to globals for tests. The test files share their modules, so this runs once.

import { vi } from "vitest";

// Waiting may take long under load. The default of a second, in vitest and the testing library, is too short for that,
// and one of them has no setting for it.
export const PATIENCE_MS = 30_000;
const { waitFor } = vi;
vi.waitFor = (check, options) => waitFor(check, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });

// Node 20 lacks it, and the page reads the user's languages from it.
if (!("navigator" in globalThis)) Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-US", "en"] }, configurable: true });

const pending = new Set<ReturnType<typeof setTimeout>>();
for (const name of ["setTimeout", "setInterval"] as const) {
  const start: (callback: (...rest: unknown[]) => void, ms?: number, ...rest: unknown[]) => ReturnType<typeof setTimeout> = globalThis[name];
  const tracked = (callback: (...rest: unknown[]) => void, ms?: number, ...rest: unknown[]) => {
    const timer = start(callback, ms, ...rest);
    pending.add(timer);
    return timer;
  };
  globalThis[name] = Object.assign(tracked, start) as never;
}

/** Anything a test file leaves running continues in the next one, or after the page is gone, and what it then loads or
 * logs occasionally fails the whole run. So each file cleans up. */
export async function endWhatBegan(): Promise<void> {
  for (const timer of pending) clearTimeout(timer);
  pending.clear();
  await vi.dynamicImportSettled();
}
