// Checks that every tool of the installed CLI has a card: the CLI's type file names all tools, and a new one fails here
// until it has an example, which the gallery shows and the card tests use.

import { expect, test } from "vitest";
import own from "../../../../app/testdata/owntools.txt?raw";
import kept from "../../../../backend/claude/transcript/testdata/tools.txt?raw";
// oxlint-disable-next-line import/default -- it is read as text, which the linter does not see
import types from "../../../node_modules/@anthropic-ai/claude-code/sdk-tools.d.ts?raw";
import { text } from "../../i18n";
import { describeTool, toolKind } from "../../lib/tools";
import { examples, ownExamples } from "./examples";

// Tools whose type has a different name.
const names: Record<string, string> = {
  FileEdit: "Edit", FileRead: "Read", FileWrite: "Write",
  Mcp: "mcp__claude_ai_Linear__list_issues",
};

// Tools that need no example, with the reason.
const left: Record<string, string> = {};

const inputs = [...types.matchAll(/^export interface (\w+)Input\b/gm)].map((match) => names[match[1] ?? ""] ?? match[1] ?? "");
const shown = new Set(examples.flatMap((example) => [example.name, toolKind(example.name)]));

test("the CLI's file names tools", () => expect(inputs.length).toBeGreaterThan(40));

test("every tool of the CLI has an example that the gallery and the tests show", () => {
  expect(inputs.filter((name) => !shown.has(name) && !(name in left))).toEqual([]);
});

test("nothing is left out that is shown, or that the CLI does not have", () => {
  expect(Object.keys(left).filter((name) => shown.has(name) || !inputs.includes(name))).toEqual([]);
});

test("every tool of the CLI has words of its own", () => {
  expect(inputs.filter((name) => !name.startsWith("mcp__") && !(name in text().tools.verbs))).toEqual([]);
});

// A test in app covers Parley's own tools.
const linesOf = (list: string) => list.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

test("every tool of Parley's own has an example, and words of its own", () => {
  expect(ownExamples.map(({ name }) => name.replace("mcp__parley__", "")).toSorted()).toEqual(linesOf(own).toSorted());
  expect(ownExamples.filter(({ name, input }) => describeTool(name, input, "").verb === text().tools.verbs.other)).toEqual([]);
});

// The back end's projector test uses the same list.
test("the back end's list of tools is this one", () => {
  expect(linesOf(kept).toSorted()).toEqual(inputs.toSorted());
});
