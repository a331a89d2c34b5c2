// What styles must not ask, because browsers then look at far more than what has changed.

import { expect, test } from "vitest";

const sheets = import.meta.glob<string>("../**/*.css", { query: "?raw", import: "default", eager: true });

/** The selectors of a sheet, a line each, without comments. */
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

// With "+ *" or "~ *" somewhere, every element that comes or goes makes Chromium work out
// the styles of all that is in its parent again: with each row of a list those of the whole list.
test("no rule is for whatever comes after something", () => {
  expect(found(/./, /[+~]\s*(?:\*|:(?!is\())/)).toEqual([]);
});

// Every change inside of something that is asked for what it has makes Chromium ask again.
test("nothing in a conversation is drawn by what it has", () => {
  expect(found(/\/(?:timeline|tools|markdown)\//, /:has\(/)).toEqual([]);
});
