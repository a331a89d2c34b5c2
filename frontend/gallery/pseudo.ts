// Languages that nobody speaks, to see what a real one would do to the page: one with
// longer words and marks above the letters, and one that is written from right to left.
// What stands without brackets, or the right way round, is not from the catalogue.

import type { Catalogue, Language } from "../src/i18n";
import { en } from "../src/i18n/en";

const marked: Record<string, string> = {
  a: "á", b: "ƀ", c: "ç", d: "đ", e: "é", f: "ƒ", g: "ğ", h: "ĥ", i: "ï", j: "ĵ", k: "ķ", l: "ļ", m: "ɱ", n: "ñ", o: "ö", p: "þ", q: "ɋ", r: "ř", s: "š", t: "ţ", u: "ü", v: "ṽ", w: "ŵ", x: "ẋ", y: "ý", z: "ž",
  A: "Å", B: "Ɓ", C: "Ç", D: "Đ", E: "É", F: "Ƒ", G: "Ğ", H: "Ĥ", I: "Î", J: "Ĵ", K: "Ķ", L: "Ļ", M: "Ṁ", N: "Ñ", O: "Ö", P: "Þ", Q: "Ɋ", R: "Ř", S: "Š", T: "Ţ", U: "Û", V: "Ṽ", W: "Ŵ", X: "Ẋ", Y: "Ý", Z: "Ž",
};

/** About a third longer, as German and Finnish are. */
function longer(words: string): string {
  if (words.startsWith("⟦") || words === "") return words;
  const letters = [...words].map((letter) => marked[letter] ?? letter).join("");
  // Where it has room for a break, so has what makes it longer.
  const more = "·".repeat(Math.ceil(words.length * 0.3)).replace(/.{8}(?=.)/g, "$& ");
  return `⟦${letters}${more}⟧`;
}

/** Reads from right to left, as an override of the direction makes it. */
function mirrored(words: string): string {
  return words.startsWith("\u202e") || words === "" ? words : `\u202e${words}\u202c`;
}

function each(words: object, change: (words: string) => string): object {
  return Object.fromEntries(
    Object.entries(words).map(([key, value]: [string, unknown]) => {
      if (typeof value === "string") return [key, change(value)];
      if (typeof value !== "function") return [key, each(value as object, change)];
      return [key, (...args: unknown[]) => change(String((value as (...args: unknown[]) => unknown)(...args)))];
    }),
  );
}

const made = (change: (words: string) => string): Catalogue => each(en, change) as Catalogue;

export const pseudoLanguages: readonly Language[] = [
  { code: "en-XA", name: "Longer", dir: "ltr", load: () => Promise.resolve(made(longer)) },
  { code: "ar-XB", name: "Mirrored", dir: "rtl", load: () => Promise.resolve(made(mirrored)) },
];
