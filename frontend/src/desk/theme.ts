// The look the user chose: light or dark, colors, fonts, sizes. These are program settings; the page stores a copy, so
// that it looks right before the program answers.

import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import { setLanguage } from "../i18n";
import { field, numberField, textField } from "../lib/shape";
import { setChosenKeys } from "./shortcuts";
import type { Settings } from "../host/border.gen";
import type { AppState } from "../store/state";

const key = "parley.look";

/** The settings that affect the look. */
type Look = Pick<Settings, "theme" | "scheme" | "accent" | "font" | "codeFont" | "fontSize" | "codeFontSize" | "density" | "zoom" | "language">;

/** Restores the last look. Resolves once the texts are loaded, so that nothing is rendered in another language first. */
export async function restoreTheme(): Promise<void> {
  let saved: unknown = null;
  try {
    saved = JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    // A browser without storage starts with the defaults.
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

/** Keeps the page's look in sync with the settings. Runs inside an owner. */
export function followTheme(state: AppState): void {
  const contrast = createMedia(more);
  createEffect(() => {
    const settings = state.info?.settings;
    if (!settings) return;
    const { scheme, accent, font, codeFont, fontSize, codeFontSize, density, zoom, language } = settings;
    // The user may change the theme before the program answers.
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

/** The language for the setting; without one, the system's first supported language. */
function languageOf(setting: string, system: readonly string[] = navigator.languages): string {
  if (setting !== "system" && setting !== "") return setting;
  return (system[0] ?? "en").split("-")[0] ?? "en";
}

let shownLanguage = "";

/** Shows the language for the setting. Setting the same one again would re-render every text while the user works. */
async function showIn(setting: string): Promise<void> {
  const language = languageOf(setting);
  if (language === shownLanguage) return;
  shownLanguage = language;
  // If it can't be loaded, the current texts stay.
  await setLanguage(language).catch(() => (shownLanguage = ""));
}

function show(look: Look, contrast: boolean): Promise<void> {
  const root = document.documentElement;
  const { theme } = look;
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  else delete root.dataset["theme"];
  // If the system asks for more contrast, use it, unless the user chose colors here.
  const scheme = contrast && look.scheme === "parley" ? "contrast" : look.scheme;
  root.dataset["scheme"] = scheme;
  if (look.accent === "") delete root.dataset["accent"];
  else root.dataset["accent"] = look.accent;

  const style = root.style;
  style.fontSize = look.zoom === 100 ? "" : `${(16 * look.zoom) / 100}px`;
  setToken("--type-scale", look.fontSize === 13 ? "" : String(look.fontSize / 13));
  setToken("--code-scale", look.codeFontSize === 13 ? "" : String(look.codeFontSize / 13));
  setToken("--density", look.density === "compact" ? "0.75" : "");
  // Fallbacks for characters that the font lacks.
  setToken("--font", look.font === "" ? "" : `"${look.font}", system-ui, sans-serif`);
  setToken("--mono", look.codeFont === "" ? "" : `"${look.codeFont}", ui-monospace, monospace`);
  return showIn(look.language);

  function setToken(name: string, value: string): void {
    if (value === "") style.removeProperty(name);
    else style.setProperty(name, value);
  }
}

/** Whether a media query matches, as a signal. */
function createMedia(query: string): Accessor<boolean> {
  const media = matchMedia(query);
  const [holds, setHolds] = createSignal(media.matches);
  const update = () => setHolds(media.matches);
  media.addEventListener("change", update);
  onCleanup(() => media.removeEventListener("change", update));
  return holds;
}
