// Helpers to browse the rules.

import type { CLIRule, Rule } from "../../host/border.gen";

/** Rules with the same scope. */
export interface Group {
  /** "global", or the scope and its id. */
  id: string;
  scope: string;
  scopeId: string;
  rules: Rule[];
}

const places = ["global", "workspace", "session"];

/** The rules by scope, global ones first; within a group, in the given order: newest first. */
export function grouped(rules: readonly Rule[]): Group[] {
  const groups = new Map<string, Group>();
  for (const rule of rules) {
    const id = placeOf(rule);
    const group = groups.get(id) ?? { id, scope: rule.scope, scopeId: rule.scopeId, rules: [] };
    groups.set(id, group);
    group.rules.push(rule);
  }
  return [...groups.values()].toSorted((a, b) => places.indexOf(a.scope) - places.indexOf(b.scope));
}

const plain = (words: string) => words.toLocaleLowerCase();

/** The rules that contain every word of the query in their text, note or effect. */
export function matching<T extends Rule | CLIRule>(rules: readonly T[], query: string, effect: (rule: T) => string): T[] {
  const wanted = plain(query).split(/\s+/).filter(Boolean);
  return rules.filter((rule) => {
    const all = plain([rule.text, effect(rule), "note" in rule ? rule.note : "", "file" in rule ? (rule.file ?? "") : ""].join(" "));
    return wanted.every((word) => all.includes(word));
  });
}

/** The CLI's rules by file, in the given order. */
export function byFile(rules: readonly CLIRule[]): { where: string; file: string; rules: CLIRule[] }[] {
  const groups = new Map<string, { where: string; file: string; rules: CLIRule[] }>();
  for (const rule of rules) {
    const file = rule.file ?? "";
    const group = groups.get(`${rule.where} ${file}`) ?? { where: rule.where, file, rules: [] };
    groups.set(`${rule.where} ${file}`, group);
    group.rules.push(rule);
  }
  return [...groups.values()];
}

/** A rule's scope as a form value, and back. */
export const placeOf = (rule: Pick<Rule, "scope" | "scopeId">): string => (rule.scope === "global" ? "global" : `${rule.scope}:${rule.scopeId}`);

export function scopeOf(place: string): { scope: string; scopeId?: string } {
  const at = place.indexOf(":");
  return at < 0 ? { scope: place } : { scope: place.slice(0, at), scopeId: place.slice(at + 1) };
}
