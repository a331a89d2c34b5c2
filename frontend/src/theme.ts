// The theme is a setting of the program; the page remembers it too, so that it
// is right before the program has answered.

import { createEffect } from "solid-js";
import type { AppState, Theme } from "./store/state";

const key = "parley.theme";

/** Shows the theme of the last time. */
export function restoreTheme(): void {
  try {
    show(localStorage.getItem(key) ?? "");
  } catch {
    // A browser that keeps nothing starts with the system's.
  }
}

/** Keeps the page in the theme of the state. Runs inside an owner. */
export function followTheme(state: AppState): void {
  createEffect(() => {
    if (!state.info) return;
    const theme: Theme = state.theme;
    show(theme);
    try {
      localStorage.setItem(key, theme);
    } catch {
      // See restoreTheme.
    }
  });
}

function show(theme: string): void {
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
}
