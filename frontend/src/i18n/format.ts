// Numbers and plural forms in the current language. The catalogs use it, so it must not depend on them.

import { createSignal } from "solid-js";

const [languageCode, setLanguageCode] = createSignal("en");

/** Sets the current language. */
export { setLanguageCode };

/** The locale for dates and numbers: the language, with the system's region if known. */
export function locale(): string {
  const code = languageCode();
  return navigator.languages.find((name) => name === code || name.startsWith(`${code}-`)) ?? code;
}

/** The plural form for a number, by the rules of the current language. */
export function plural(n: number, forms: { one: string; other: string }): string {
  return pluralRules(locale()).select(n) === "one" ? forms.one : forms.other;
}

/** A number in the language's format. */
export function number(n: number, options?: Intl.NumberFormatOptions): string {
  return numberFormat(locale(), options).format(n);
}

// Creating a formatter takes longer than formatting a hundred numbers. There is one per set of options used in the
// page.
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
