// The words of the page, in the person's language. Every text that a person reads
// stands in a catalogue, never in a component: en/ is the reference, each other
// language has the same shape, which the compiler checks. What the model, the CLI
// and the program's own errors say is shown as it comes.

import { createSignal } from "solid-js";
import { en } from "./en";

/** The same catalogue in any language: strings stay strings, and functions keep what they take. */
type Words<T> = {
  [K in keyof T]: T[K] extends string ? string : T[K] extends (...args: infer A) => string ? (...args: A) => string : Words<T[K]>;
};

export type Catalogue = Words<typeof en>;

export interface Language {
  code: string;
  /** In the language itself. */
  name: string;
  dir: "ltr" | "rtl";
  load: () => Promise<Catalogue>;
}

export const languages: readonly Language[] = [
  { code: "en", name: "English", dir: "ltr", load: () => Promise.resolve(en) },
  { code: "de", name: "Deutsch", dir: "ltr", load: async () => (await import("./de")).de },
];

const [current, setCurrent] = createSignal<{ code: string; words: Catalogue }>({ code: "en", words: en });

/** The words in the language that is shown. Read it where it is drawn: it changes with the language. */
export function text(): Catalogue {
  return current().words;
}

/** The language's code for dates and numbers, with the person's region where the system says one. */
export function locale(): string {
  const { code } = current();
  return navigator.languages.find((name) => name === code || name.startsWith(`${code}-`)) ?? code;
}

/** Shows a language; one that there is not is shown as English. */
export async function setLanguage(code: string): Promise<void> {
  const language = languages.find((l) => l.code === code) ?? languages[0];
  if (language) await showLanguage(language);
}

/** Shows a language that need not be among those that are offered. */
export async function showLanguage(language: Language): Promise<void> {
  const words = await language.load();
  setCurrent({ code: language.code, words });
  document.documentElement.lang = language.code;
  document.documentElement.dir = language.dir;
}

/** The form of a word that goes with a number, by the rules of the language that is shown. */
export function plural(n: number, forms: { one: string; other: string }): string {
  return pluralRules(locale()).select(n) === "one" ? forms.one : forms.other;
}

/** A number as the language writes it. */
export function number(n: number, options?: Intl.NumberFormatOptions): string {
  return numberFormat(locale(), options).format(n);
}

// Making one takes longer than a hundred numbers do. There are as many as there are
// ways of writing numbers in the page.
const formats = new Map<string, Intl.NumberFormat>();
const rules = new Map<string, Intl.PluralRules>();

function numberFormat(language: string, options: Intl.NumberFormatOptions | undefined): Intl.NumberFormat {
  const key = language + JSON.stringify(options ?? {});
  const made = formats.get(key) ?? new Intl.NumberFormat(language, options);
  formats.set(key, made);
  return made;
}

function pluralRules(language: string): Intl.PluralRules {
  const made = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, made);
  return made;
}
