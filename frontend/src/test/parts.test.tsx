// The build selects parts by an attribute for each name (compile-parts.ts). This checks that every part gets it, and
// that nothing names a part in a way the build does not recognize.

import { render } from "@solidjs/testing-library";
import { createSignal } from "solid-js";
import { expect, test } from "vitest";
import { Button } from "../ui/button";

const names = (element: Element | null | undefined) => element?.getAttributeNames().filter((name) => /^data-(?:component|slot)-/.test(name));

test("a part has an attribute for its name", () => {
  const { container } = render(() => (
    <div data-component="example" data-slot="box">
      <Button data-slot="more">More</Button>
    </div>
  ));
  expect(names(container.firstElementChild)).toEqual(["data-component-example", "data-slot-box"]);
  expect(names(container.querySelector("button"))?.toSorted()).toEqual(["data-component-button", "data-slot-more"]);
});

test("one whose name changes has the attribute of the name that it has", () => {
  const [wrong, setWrong] = createSignal(false);
  const { container } = render(() => <p data-slot={wrong() ? "invalid" : "aside"}>Words</p>);
  expect(names(container.firstElementChild)).toEqual(["data-slot-aside"]);
  setWrong(true);
  expect(names(container.firstElementChild)).toEqual(["data-slot-invalid"]);
});

const read = (files: Record<string, unknown>) => Object.entries(files as Record<string, string>).filter(([name]) => !/\.test\.tsx?$|\/hostile\.ts$/.test(name));

test.each([
  ["views", import.meta.glob("../**/*.tsx", { query: "?raw", import: "default", eager: true }), /(?<![[\w-])data-(?:component|slot)(?!="[\w-]+"|=\{[^{}]+\})/],
  ["sources", import.meta.glob("../**/*.ts", { query: "?raw", import: "default", eager: true }), /\.dataset(?:\["|\.)(?:component|slot)\b(?!"\](?: = "[\w-]+"| ===))|setAttribute\("data-(?:component|slot)/],
])("the %s name parts in a way that is seen", (_, files, other) => {
  const all = read(files);
  expect(all.filter(([, source]) => /data-slot|dataset/.test(source)).length).toBeGreaterThan(5);
  for (const [name, source] of all) expect(other.exec(source)?.[0], name).toBeUndefined();
});
