// Numbers and the forms of words, as the language that is shown has them. The catalogues
// use it, so it knows nothing of them.

import { createSignal } from "solid-js";

const [languageCode, setLanguageCode] = createSignal("en");

/** Says which language is shown. */
export { setLanguageCode };

/** The language's code for dates and numbers, with the user's region where the system says one. */
export function locale(): string {
  const code = languageCode();
  return navigator.languages.find((name) => name === code || name.startsWith(`${code}-`)) ?? code;
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
