// How the page looks, as the user chose it: light or dark, colours, fonts, sizes.
// These are settings of the program; the page remembers them too, so that it is
// right before the program has answered.

import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import { setLanguage } from "../i18n";
import { field, numberField, textField } from "../lib/shape";
import { setChosenKeys } from "./shortcuts";
import type { Settings } from "../host/border.gen";
import type { AppState } from "../store/state";

const key = "parley.look";

/** The part of the settings that the page looks by. */
type Look = Pick<Settings, "theme" | "scheme" | "accent" | "font" | "codeFont" | "fontSize" | "codeFontSize" | "density" | "zoom" | "language">;

/** Shows the page as it looked the last time. It is done when the words are there, so that none are drawn in another language first. */
export async function restoreTheme(): Promise<void> {
  let saved: unknown = null;
  try {
    saved = JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    // A browser that keeps nothing starts as the page was made.
  }
  if (!field(saved, "zoom")) return showIn("");
  await show(
    {
      theme: textField(saved, "theme"),
      scheme: textField(saved, "scheme"),
      accent: textField(saved, "accent"),
      font: textField(saved, "font"),
      codeFont: textField(saved, "codeFont"),
      fontSize: numberField(saved, "fontSize") || 13,
      codeFontSize: numberField(saved, "codeFontSize") || 13,
      density: textField(saved, "density"),
      zoom: numberField(saved, "zoom") || 100,
      language: textField(saved, "language"),
    },
    matchMedia(more).matches,
  );
}

const more = "(prefers-contrast: more)";

/** Keeps the page as the settings say. Runs inside an owner. */
export function followTheme(state: AppState): void {
  const contrast = createMedia(more);
  createEffect(() => {
    const settings = state.info?.settings;
    if (!settings) return;
    const { scheme, accent, font, codeFont, fontSize, codeFontSize, density, zoom, language } = settings;
    // The theme changes before the program has answered.
    const look = { theme: state.theme, scheme, accent, font, codeFont, fontSize, codeFontSize, density, zoom, language };
    void show(look, contrast());
    try {
      localStorage.setItem(key, JSON.stringify(look));
    } catch {
      // See restoreTheme.
    }
  });
  createEffect(() => setChosenKeys({ ...state.info?.settings.shortcuts }));
}

/** The language for the setting: the system's first one, when it is left to it. */
function languageOf(setting: string, system: readonly string[] = navigator.languages): string {
  if (setting !== "system" && setting !== "") return setting;
  return (system[0] ?? "en").split("-")[0] ?? "en";
}

let shownLanguage = "";

/** Shows the language for the setting. The same again would draw every word anew, under the user's hands. */
async function showIn(setting: string): Promise<void> {
  const language = languageOf(setting);
  if (language === shownLanguage) return;
  shownLanguage = language;
  // One that cannot be loaded leaves the words that there are.
  await setLanguage(language).catch(() => (shownLanguage = ""));
}

function show(look: Look, contrast: boolean): Promise<void> {
  const root = document.documentElement;
  const { theme } = look;
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
  // Who asks the system for more contrast gets it, unless they chose colours here.
  const scheme = contrast && look.scheme === "parley" ? "contrast" : look.scheme;
  root.dataset["scheme"] = scheme;
  if (look.accent === "") delete root.dataset["accent"];
  else root.dataset["accent"] = look.accent;

  const style = root.style;
  style.fontSize = look.zoom === 100 ? "" : `${(16 * look.zoom) / 100}px`;
  setToken("--type-scale", look.fontSize === 13 ? "" : String(look.fontSize / 13));
  setToken("--code-scale", look.codeFontSize === 13 ? "" : String(look.codeFontSize / 13));
  setToken("--density", look.density === "compact" ? "0.75" : "");
  // The rest of the list is there for what the font does not have.
  setToken("--font", look.font === "" ? "" : `"${look.font}", system-ui, sans-serif`);
  setToken("--mono", look.codeFont === "" ? "" : `"${look.codeFont}", ui-monospace, monospace`);
  return showIn(look.language);

  function setToken(name: string, value: string): void {
    if (value === "") style.removeProperty(name);
    else style.setProperty(name, value);
  }
}

/** Whether a media query holds, followed. */
function createMedia(query: string): Accessor<boolean> {
  const media = matchMedia(query);
  const [holds, setHolds] = createSignal(media.matches);
  const update = () => setHolds(media.matches);
  media.addEventListener("change", update);
  onCleanup(() => media.removeEventListener("change", update));
  return holds;
}
