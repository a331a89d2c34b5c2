import { describe, expect, it } from "vitest";
import { accents, schemes } from "../features/settings/look";
import { tokenNames } from "../desk/own-styles";
import { colours, contrast, type Oklch } from "./contrast";
import schemesSource from "./schemes.css?raw";
import tokensSource from "./tokens.css?raw";

/** The body of the rule with a selector. */
function rule(source: string, selector: string): string {
  const at = source.indexOf(selector);
  if (at < 0) throw new Error(`There is no rule for ${selector}`);
  return source.slice(source.indexOf("{", at), source.indexOf("}", at));
}

const base = colours(tokensSource);
const sides = ["light", "dark"] as const;
const grounds = ["--bg", "--bg-raised", "--bg-sunken", "--bg-hover", "--bg-active"];
const codes = ["keyword", "string", "comment", "number", "title", "type", "deletion"].map((name) => `--code-${name}`);
const states = ["ok", "warning", "critical", "info"];

/** Foreground, background, and the ratio that WCAG 2.2 AA requires. */
const pairs: [string, string, number][] = [
  ...["--text", "--text-dim", "--text-faint"].flatMap((text) => grounds.map((ground): [string, string, number] => [text, ground, 4.5])),
  ...["--accent", ...states.map((state) => `--${state}`)].flatMap((text) => ["--bg", "--bg-raised", "--bg-sunken"].map((ground): [string, string, number] => [text, ground, 4.5])),
  // As a focus outline, and as a mark.
  ...["--accent", ...states.map((state) => `--${state}`)].flatMap((mark) => ["--bg-hover", "--bg-active"].map((ground): [string, string, number] => [mark, ground, 3])),
  ["--accent-text", "--accent", 4.5],
  ["--accent-text", "--accent-hover", 4.5],
  ...["accent", ...states].flatMap((name): [string, string, number][] => [
    ["--text", `--${name}-soft`, 4.5],
    ["--text-dim", `--${name}-soft`, 4.5],
    [`--${name}`, `--${name}-soft`, 4.5],
  ]),
  ...codes.map((code): [string, string, number] => [code, "--code-bg", 4.5]),
];

function tooLittle(tokens: Record<string, Oklch>, wanted = pairs): string[] {
  return wanted.flatMap(([on, ground, least]) => {
    const [a, b] = [tokens[on], tokens[ground]];
    if (!a || !b) return [`${on} on ${ground}: not a colour`];
    const ratio = contrast(a, b);
    return ratio < least ? [`${on} on ${ground}: ${ratio.toFixed(2)}`] : [];
  });
}

const tokensOf = (scheme: string) => (scheme === "parley" ? base : colours(rule(schemesSource, `:root[data-scheme="${scheme}"]`)));

describe.each(schemes.map(({ id }) => id))("the scheme %s", (scheme) => {
  it.each(sides)("can be read (%s)", (side) => {
    expect(tooLittle({ ...base[side], ...tokensOf(scheme)[side] })).toEqual([]);
  });

  it("says every colour itself", () => {
    const without = ["--scrim"];
    const wanted = Object.keys(base.light).filter((name) => !name.startsWith("--shadow") && !without.includes(name));
    expect(Object.keys(tokensOf(scheme).light).filter((name) => !without.includes(name)).toSorted()).toEqual(wanted.toSorted());
  });

  it.each(accents)("goes with the accent %s", (accent) => {
    if (scheme === "contrast") return;
    const own = colours(rule(schemesSource, `:root[data-accent="${accent}"]`));
    for (const side of sides) {
      const wanted = pairs.filter(([on, ground]) => [on, ground].some((name) => name.startsWith("--accent")) && ![on, ground].includes("--accent-soft"));
      expect(tooLittle({ ...base[side], ...tokensOf(scheme)[side], ...own[side] }, wanted)).toEqual([]);
    }
  });
});

it.each(sides)("high contrast is high (%s)", (side) => {
  expect(tooLittle(tokensOf("contrast")[side], pairs.filter(([on]) => on.startsWith("--text")).map(([on, ground]) => [on, ground, 7]))).toEqual([]);
});

it("black on white is 21, and a colour on itself 1", () => {
  expect(contrast([0, 0, 0], [1, 0, 0])).toBeCloseTo(21, 5);
  expect(contrast([0.5, 0.1, 30], [0.5, 0.1, 30])).toBe(1);
});

it("a user's own file may set every token but those that are theirs by other settings, and what lies over what", () => {
  const fixed = ["--type-scale", "--code-scale", "--density", "--shadow-1", "--shadow-2"];
  const all = new Set([...tokensSource.matchAll(/^ {2}(--[\w-]+):/gm)].map(([, name]) => name ?? ""));
  expect([...tokenNames].toSorted()).toEqual([...all].filter((name) => !fixed.includes(name) && !name.startsWith("--layer-")).toSorted());
});
