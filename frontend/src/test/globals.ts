// What tests change of the globals. The files share their modules, so it is done once.

import { vi } from "vitest";

// What is waited for may take its time where much else runs. A second, which vitest and
// the testing library give it, is too short for that, and one of them has no setting.
export const PATIENCE_MS = 30_000;
const { waitFor } = vi;
vi.waitFor = (check, options) => waitFor(check, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });

// Node 20 has none, and the page asks it for the user's languages.
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

/** What a file leaves running continues in the next one, or after the page is gone, and what it
 * then loads or logs makes the whole run fail, now and then. So the file ends what it began. */
export async function endWhatBegan(): Promise<void> {
  for (const timer of pending) clearTimeout(timer);
  pending.clear();
  await vi.dynamicImportSettled();
}
