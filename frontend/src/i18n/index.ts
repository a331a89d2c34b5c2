// The words of the page, in the user's language. Every text that a user reads
// stands in a catalogue, never in a component: en/ is the reference, each other
// language has the same shape, which the compiler checks. What the back end says has its words in
// sentences.ts; what the model and the CLI say is shown as it comes.

import { batch, createSignal } from "solid-js";
import type { Catalogue } from "./catalogue";
import { en } from "./en";
import { setLanguageCode } from "./format";
import { type Sentences, setSentences } from "./sentences";

export type { Catalogue } from "./catalogue";
export { locale, number } from "./format";
export { translated } from "./sentences";

export interface Language {
  code: string;
  /** In the language itself. */
  name: string;
  dir: "ltr" | "rtl";
  load: () => Promise<Catalogue>;
  /** What the back end says; nothing for English, which is what it speaks. */
  sentences?: () => Promise<Sentences>;
}

export const languages: readonly Language[] = [
  { code: "en", name: "English", dir: "ltr", load: () => Promise.resolve(en) },
  { code: "de", name: "Deutsch", dir: "ltr", load: async () => (await import("./de")).de, sentences: async () => (await import("./de/sentences")).sentences },
];

const [words, setWords] = createSignal<Catalogue>(en);

/** The words in the language that is shown. Read it where it is drawn: it changes with the language. */
export function text(): Catalogue {
  return words();
}

/** Shows a language; one that there is not is shown as English. */
export async function setLanguage(code: string): Promise<void> {
  const language = languages.find((l) => l.code === code) ?? languages[0];
  if (language) await showLanguage(language);
}

/** The language that was chosen last: one that loads longer does not come after it. */
let chosen: Language | undefined;

/** Shows a language that need not be among those that are offered. */
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

