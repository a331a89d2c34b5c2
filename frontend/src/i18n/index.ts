// The page's texts in the user's language. Every text a user reads is in a catalog, never in a component: en/ is the
// reference, and other languages have the same shape, which the compiler checks. Translations of the back end's
// sentences are in the sentences folder of each language; output of the model and the CLI is shown as it is.

import { batch, createSignal } from "solid-js";
import type { Catalogue } from "./catalogue";
import { en } from "./en";
import { setLanguageCode } from "./format";
import { type Sentences, setSentences } from "./sentences";

export type { Catalogue } from "./catalogue";
export { locale, number } from "./format";
export { translated, translatedAround } from "./sentences";

export interface Language {
  code: string;
  /** In the language itself. */
  name: string;
  dir: "ltr" | "rtl";
  load: () => Promise<Catalogue>;
  /** Translations of the back end's sentences; none for English, its own language. */
  sentences?: () => Promise<Sentences>;
}

export const languages: readonly Language[] = [
  { code: "en", name: "English", dir: "ltr", load: () => Promise.resolve(en) },
  { code: "de", name: "Deutsch", dir: "ltr", load: async () => (await import("./de")).de, sentences: async () => (await import("./de/sentences")).sentences },
];

const [words, setWords] = createSignal<Catalogue>(en);

/** The texts of the current language. Read it while rendering, because the language may change. */
export function text(): Catalogue {
  return words();
}

/** Switches to a language; an unknown one falls back to English. */
export async function setLanguage(code: string): Promise<void> {
  const language = languages.find((l) => l.code === code) ?? languages[0];
  if (language) await showLanguage(language);
}

/** The last chosen language: one that loads more slowly must not replace it. */
let chosen: Language | undefined;

/** Switches to a language that need not be on the list. */
export async function showLanguage(language: Language): Promise<void> {
  chosen = language;
  const [loaded, sentences] = await Promise.all([language.load(), language.sentences?.()]);
  if (chosen !== language) return;
  batch(() => {
    setLanguageCode(language.code);
    setSentences(sentences);
    setWords(() => loaded);
  });
  document.documentElement.lang = language.code;
  document.documentElement.dir = language.dir;
}

