// The back end sends English sentences. A sentence, with Go fmt verbs for its parameters, is its own key in the other
// languages' catalogs (sentences.gen.ts lists all). A sentence missing from a catalog stays English.

import { createSignal } from "solid-js";
import type { Sentence } from "./sentences.gen";

/** Translations by English sentence. %1, %2… stand for the verbs' values. */
export type Sentences = Readonly<Partial<Record<Sentence, string>>>;

interface Pattern {
  /** The text around the verbs: one more than there are verbs. */
  around: string[];
  /** The letter of each verb. */
  verbs: string[];
  to: string;
}

interface Known {
  exact: ReadonlyMap<string, string>;
  /** Sentences with verbs, the most specific first. */
  patterns: readonly Pattern[];
}

const nothing: Known = { exact: new Map(), patterns: [] };
const [known, setKnown] = createSignal<Known>(nothing);

export const verb = /%[-+#.\d]*([a-z])/g;
/** Longer texts are program output. */
const longest = 4000;
/** How deeply sentences may be nested: a cause, and its cause. */
const deepest = 3;

/** Sets a language's translations; none for English. */
export function setSentences(sentences: Sentences | undefined): void {
  if (!sentences) return void setKnown(nothing);
  const exact = new Map<string, string>();
  const patterns: Pattern[] = [];
  for (const [from, to] of Object.entries(sentences)) {
    const verbs = [...from.matchAll(verb)].map(([, letter]) => letter ?? "");
    if (verbs.length === 0) exact.set(from, to);
    else patterns.push({ around: from.replaceAll(verb, "\0").split("\0"), verbs, to });
  }
  const told = ({ around }: Pattern) => around.reduce((sum, part) => sum + part.length, 0);
  setKnown({ exact, patterns: patterns.toSorted((a, b) => told(b) - told(a)) });
}

/**
 * A back end sentence in the current language, if there is a translation. A value in it may be a
 * sentence too, such as an error's cause.
 */
export const translated = (sentence: string): string => inLanguage(sentence, 0);

/**
 * The same for what a question or a rule says: its values are commands, file names and texts of
 * others, which stay as they are, whatever they say.
 */
export const translatedAround = (sentence: string): string => inLanguage(sentence, deepest);

function inLanguage(sentence: string, depth: number): string {
  const { exact, patterns } = known();
  if (patterns.length === 0 || sentence === "" || sentence.length > longest || depth > deepest) return sentence;
  const found = exact.get(sentence) ?? first(patterns, sentence, depth);
  if (found !== undefined) return found;
  // A nested cause has no full stop.
  const whole = /[.!?]$/.test(sentence) ? undefined : (exact.get(`${sentence}.`) ?? first(patterns, `${sentence}.`, depth));
  return whole?.replace(/\.$/, "") ?? sentence;
}

function first(patterns: readonly Pattern[], sentence: string, depth: number): string | undefined {
  for (const { around, verbs, to } of patterns) {
    const facts = factsOf(around, verbs, sentence);
    if (!facts) continue;
    return to.replaceAll(/%(\d)/g, (all, n: string) => {
      const i = Number(n) - 1;
      const quoted = around[i]?.endsWith("“");
      return fact(facts[i], quoted ? "d" : verbs[i], depth) ?? all;
    });
  }
  return undefined;
}

/** The values of a pattern's verbs in a sentence, undefined if it doesn't match. One pass: each literal part is searched
 * once, in order. */
function factsOf(around: readonly string[], verbs: readonly string[], sentence: string): string[] | undefined {
  const head = around[0] ?? "";
  const tail = around.at(-1) ?? "";
  if (!sentence.startsWith(head) || !sentence.endsWith(tail)) return undefined;
  const end = sentence.length - tail.length;
  const facts: string[] = [];
  let at = head.length;
  for (const part of around.slice(1, -1)) {
    const next = sentence.indexOf(part, at);
    if (next < 0) return undefined;
    facts.push(sentence.slice(at, next));
    at = next + part.length;
  }
  if (at > end) return undefined;
  facts.push(sentence.slice(at, end));
  return facts.every((text, i) => (verbs[i] === "d" ? /^-?\d+$/.test(text) : verbs[i] === "q" ? /^".*"$/s.test(text) : text !== "")) ? facts : undefined;
}

/** A value for insertion: names lose their Go quotes, numbers and what is quoted stay as they are,
 * and sentences are translated. */
function fact(text: string | undefined, letter: string | undefined, depth: number): string | undefined {
  return letter === "q" ? text?.slice(1, -1) : letter === "d" ? text : text && inLanguage(text, depth + 1);
}
