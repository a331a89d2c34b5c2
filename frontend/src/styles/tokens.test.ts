// Components must take layers, spaces and named sizes from the tokens.

import { parse } from "postcss";
import { expect, test } from "vitest";
import tokensSource from "./tokens.css?raw";

const sheets = import.meta.glob<string>(["../**/*.css", "../../gallery/*.css"], { query: "?raw", import: "default", eager: true });

/** Exceptions with their own sizes. */
const apart: Record<string, string> = {
  "./tokens.css": "says what the tokens are",
  "../features/export/document.css": "goes with a file that is read without the page",
};
/** Lengths that have a name: 14px is --size-3-half. */
const named = new Map([...tokensSource.matchAll(/--(size-[\w-]+): ([\d.]+)rem;/g)].map(([, name, rem]) => [Number(rem) * 16, `--${name}`]));

const spaces = /^(?:margin|padding)(?:-[\w-]+)?$|^(?:row-|column-)?gap$/;
const sizes = /^(?:min-|max-)?(?:width|height|inline-size|block-size)$|^line-height$/;
const length = /(?<![\w.-])-?(\d*\.?\d+)(px|rem)\b/g;
const px = (value: string) => [...value.matchAll(length)].map(([, n, unit]) => Number(n) * (unit === "rem" ? 16 : 1));

/** Literal values in a sheet that should be tokens, with their selectors. */
function literal(css: string): string[] {
  const found: string[] = [];
  parse(css).walkDecls(({ prop, value, parent }) => {
    const where = `${parent && "selector" in parent ? String(parent.selector) : ""} { ${prop}: ${value} }`;
    if (prop === "z-index" ? !/^(?:0|auto|var\(--layer-[\w-]+\))$/.test(value) : spaces.test(prop) || prop === "border-radius" ? px(value).some((n) => n > 3) : sizes.test(prop) && /^[\d.]+(?:px|rem)$/.test(value) && named.has(px(value)[0] ?? 0)) {
      found.push(where);
    }
  });
  return found;
}

test("components take their layers, spaces and sizes from the tokens", () => {
  expect(Object.keys(sheets).length).toBeGreaterThan(60);
  const found = Object.entries(sheets).flatMap(([path, css]) => (path in apart ? [] : literal(css).map((what) => `${path.split("/").at(-1)} ${what}`)));
  expect(found).toEqual([]);
});

test.each<[string, boolean]>([
  ["z-index: 7", true],
  ["z-index: -1", true],
  ["z-index: calc(var(--layer-menu) + 1)", true],
  ["z-index: var(--layer-menu)", false],
  ["z-index: 0", false],
  ["padding: 0 6px", true],
  ["margin-inline: -6px", true],
  ["margin-block-start: calc(var(--space-2) + 4px)", true],
  ["gap: 0.5rem", true],
  ["row-gap: 7px", true],
  ["gap: 2px var(--space-2)", false],
  ["padding: 1ch 0.1em", false],
  ["border-radius: 6px", true],
  ["border-radius: 50%", false],
  ["height: 28px", true],
  ["min-height: 1.75rem", true],
  ["width: 300px", false],
  ["max-height: min(28px, 50%)", false],
])("%s: %s", (declaration, refused) => {
  expect(literal(`a { & b { ${declaration} } }`)).toHaveLength(refused ? 1 : 0);
});
