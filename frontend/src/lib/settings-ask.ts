// How parts deep in the page ask for the settings, which belong to its frame.

import { createSignal } from "solid-js";

const [asked, setAsked] = createSignal<{ at: string } | null>(null, { equals: false });

/** What the settings were last asked to be opened at: a page or a setting. */
export const settingsAskedFor = asked;

export function askForSettings(at: string): void {
  setAsked({ at });
}
