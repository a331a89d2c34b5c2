// Style rules that must not be used, because browsers then recalculate far more than what changed.

import { expect, test } from "vitest";

const sheets = import.meta.glob<string>("../**/*.css", { query: "?raw", import: "default", eager: true });

/** The selectors of a sheet, one per line, without comments. */
function selectors(css: string): string[] {
  const lines = css.replace(/\/\*[^]*?\*\//g, "").split("\n");
  return lines.map((line) => line.trim()).filter((line) => /[{,]$/.test(line) && !/^[@\w-]+:\s/.test(line));
}

const found = (where: RegExp, what: RegExp) =>
  Object.entries(sheets).filter(([path]) => where.test(path)).flatMap(([path, css]) => selectors(css).filter((line) => what.test(line)).map((line) => `${path}: ${line}`));

test("there are sheets to look at", () => {
  expect(Object.keys(sheets).length).toBeGreaterThan(60);
  expect(found(/Markdown\.css$/, /li \+ li/)).toHaveLength(1);
});

// With "+ *" or "~ *" anywhere, Chromium recalculates the styles of everything in the parent of every inserted or
// removed element: for each row of a list, the whole list.
test("no rule is for whatever comes after something", () => {
  expect(found(/./, /[+~]\s*(?:\*|:(?!is\())/)).toEqual([]);
});

// Every change inside an element with :has() makes Chromium evaluate it again.
test("nothing in a conversation is drawn by what it has", () => {
  expect(found(/\/(?:timeline|tools|markdown)\//, /:has\(/)).toEqual([]);
});
