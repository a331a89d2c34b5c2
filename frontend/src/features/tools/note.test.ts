import { describe, expect, test } from "vitest";
import type { Tool } from "../../host/border.gen";
import { changeRows, toolNote } from "./note";

const tool = (name: string, change: Partial<Tool>): Tool => ({ toolUseId: "t", name, state: "done", startedAt: 0, ...change });
const patch = [{ oldStart: 1, newStart: 1, lines: ["-a", "+b", "+c"] }];

describe("what came of a tool", () => {
  test.each<[string, Partial<Tool>, string]>([
    ["Bash", {}, ""],
    ["Bash", { structured: { backgroundTaskId: "b1" } }, "in the background"],
    ["Bash", { state: "error", content: [{ type: "text", text: "Error: Exit code 127\nnot found" }] }, "exit 127"],
    ["Bash", { state: "error", content: [{ type: "text", text: "refused" }] }, ""],
    ["Edit", { structured: { structuredPatch: patch } }, "+2 −1"],
    ["Edit", { input: { old_string: "a", new_string: "b" } }, "+1 −1"],
    ["Edit", { structured: { structuredPatch: "no" } }, ""],
    ["Write", { input: { content: "a\nb\n" } }, "2 lines"],
    ["Write", { input: { content: "" } }, "empty"],
    ["Write", { structured: { structuredPatch: patch } }, "+2 −1"],
    ["Read", { structured: { file: { numLines: 1 } } }, "1 line"],
    ["Read", { structured: null }, ""],
    ["Glob", { structured: { numFiles: 0 } }, "0 files"],
    ["Grep", { structured: { mode: "content", numLines: 7, numFiles: 0 } }, "7 lines"],
    ["Grep", { structured: { mode: "count", numMatches: 1 } }, "1 match"],
    ["TodoWrite", { input: { todos: [{ status: "completed" }, { status: "pending" }] } }, "1 of 2"],
    ["Task", { structured: { status: "async_launched" } }, "in the background"],
    ["Task", { structured: { status: "completed", totalToolUseCount: 4 } }, "4 steps"],
    ["SomethingNew", { structured: [1] }, ""],
  ])("%s %j", (name, change, note) => expect(toolNote(tool(name, change))).toBe(note));
});

test("a hunk of another shape is left out", () => {
  const rows = changeRows(tool("Edit", { structured: { structuredPatch: [{ oldStart: "1" }, ...patch, { oldStart: 1, newStart: 1, lines: [3] }] } }));
  expect(rows?.map((r) => r.text)).toEqual(["a", "b", "c"]);
});
