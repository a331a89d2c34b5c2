// What the back end says comes as an English sentence. That sentence, with verbs of Go's
// fmt for what is put into it, is its own name in the catalogues of other languages
// (sentences.gen.ts lists all). What a catalogue does not have stays English.

import { createSignal } from "solid-js";
import type { Sentence } from "./sentences.gen";

/** A language's sentences by the English ones. %1, %2… stand for what the verbs are. */
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
  /** Those with verbs, the most exact first. */
  patterns: readonly Pattern[];
}

const nothing: Known = { exact: new Map(), patterns: [] };
const [known, setKnown] = createSignal<Known>(nothing);

export const verb = /%[-+#.\d]*([a-z])/g;
/** Longer ones are output of programs. */
const longest = 4000;
/** How deep a sentence may hold another one: a cause, and the cause of that. */
const deepest = 3;

/** Uses a language's sentences; none for English. */
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

/** What the back end says, in the language that is shown where it is known there. */
export function translated(sentence: string, depth = 0): string {
  const { exact, patterns } = known();
  if (patterns.length === 0 || sentence === "" || sentence.length > longest || depth > deepest) return sentence;
  const found = exact.get(sentence) ?? first(patterns, sentence, depth);
  if (found !== undefined) return found;
  // A cause stands in other sentences without its full stop.
  const whole = /[.!?]$/.test(sentence) ? undefined : (exact.get(`${sentence}.`) ?? first(patterns, `${sentence}.`, depth));
  return whole?.replace(/\.$/, "") ?? sentence;
}

function first(patterns: readonly Pattern[], sentence: string, depth: number): string | undefined {
  for (const pattern of patterns) {
    const facts = factsOf(pattern, sentence);
    if (facts) return pattern.to.replaceAll(/%(\d)/g, (all, n: string) => fact(facts[Number(n) - 1], pattern.verbs[Number(n) - 1], depth) ?? all);
  }
  return undefined;
}

/** What stands in a sentence where the pattern has verbs, undefined when it is another sentence. One pass: the text around is looked for once, in order. */
function factsOf({ around, verbs }: Pattern, sentence: string): string[] | undefined {
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

/** A fact as it is put into a sentence: names lose the quotes of Go, and a sentence is translated. */
function fact(text: string | undefined, letter: string | undefined, depth: number): string | undefined {
  return letter === "q" ? text?.slice(1, -1) : letter === "d" ? text : text && translated(text, depth + 1);
}
