import { expect, it } from "vitest";
import { setLanguage, text } from "../../i18n";
import { pageIds, pageOf, registry } from "./registry";

const sources = import.meta.glob<string>("../../host/border.gen.ts", { query: "?raw", import: "default", eager: true });

/** The program's settings, as named in the generated types. */
function kept(): string[] {
  const source = Object.values(sources)[0] ?? "";
  const body = /^export interface Settings \{\n([\s\S]*?)^\}/m.exec(source)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(\w+): /gm)].map((match) => match[1] ?? "");
}

it("has every setting of the program once", () => {
  expect(kept()).toContain("theme");
  expect(registry.map(({ id }) => id).toSorted()).toEqual(kept().toSorted());
});

it.each(["en", "de"])("explains each of them (%s)", async (code) => {
  await setLanguage(code);
  for (const { id } of registry) {
    const { label, about } = text().settings.fields[id];
    expect(label.length, id).toBeGreaterThan(2);
    expect(about, id).toMatch(/[.?]$/);
  }
  await setLanguage("en");
});

it("has somewhere to go for every setting and page", () => {
  for (const { id, page } of registry) expect(pageOf(id)).toBe(page);
  for (const id of pageIds) expect(pageOf(id)).toBe(id);
  expect(pageOf("nonsense")).toBeNull();
});
