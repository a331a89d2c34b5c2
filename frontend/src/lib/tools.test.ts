import { describe, expect, test } from "vitest";
import { askedQuestions, describeTool, mcpName, partialInput, shortPath, toolLabel } from "./tools";

describe("a tool call in plain words", () => {
  test.each([
    ["Bash", { command: "npm test\n  && ls" }, "Ran", "npm test ⏎ && ls"],
    ["Read", { file_path: "/w/src/a.go" }, "Read", "src/a.go"],
    ["Read", { file_path: "/w/src/a.go", offset: 10, limit: 5 }, "Read", "src/a.go:10–14"],
    ["Write", { file_path: "/elsewhere/a.go" }, "Wrote", "/elsewhere/a.go"],
    ["Grep", { pattern: "TODO", path: "/w/src" }, "Searched for", "TODO in src"],
    ["Glob", { pattern: "**/*.go" }, "Found files", "**/*.go"],
    ["Task", { description: "Look at tests" }, "Delegated", "Look at tests"],
    ["mcp__github__create_issue", {}, "Used", "github · create issue"],
    ["SomethingNew", { a: 1 }, "Used", "SomethingNew"],
    ["SendMessage", {}, "Sent a message", ""],
    ["SendMessage", { to: "explorer" }, "Sent a message to", "explorer"],
    ["TaskUpdate", { taskId: "4" }, "Updated task", "#4"],
    ["TaskStop", { task_id: "b7c2a1" }, "Stopped task", "b7c2a1"],
    ["TaskOutput", { task_id: "b7c2a1" }, "Read the output of", "b7c2a1"],
    ["ListMcpResourcesTool", {}, "Listed resources", ""],
    ["ListMcpResourcesTool", { server: "docs" }, "Listed resources of", "docs"],
    ["RefreshMcpTools", { server: "docs" }, "Refreshed the tools of", "docs"],
    ["ToolSearch", { query: "select:WebFetch" }, "Searched for tools:", "WebFetch"],
    ["Projects", { method: "project_search" }, "Used the project:", "project search"],
    ["ClaudeDesign", { operation: "list" }, "Used Claude Design:", "list"],
    ["Monitor", { description: "errors in the log" }, "Started watching", "errors in the log"],
    ["EnterPlanMode", {}, "Entered plan mode", ""],
    ["Bash", null, "Ran", ""],
    ["Read", { file_path: 7 }, "Read", ""],
  ])("%s %j", (name, input, done, object) => {
    const found = describeTool(name, input, "/w");
    expect([found.verb.done, found.object]).toEqual([done, object]);
  });
});

test("MCP names are readable", () => {
  expect(mcpName("mcp__claude_ai_Linear__list-issues")).toEqual({ server: "claude.ai Linear", tool: "list issues" });
  expect(mcpName("mcp__my_claude_ai_x__claude_ai_y")).toEqual({ server: "my claude ai x", tool: "claude ai y" });
  expect(mcpName("Bash")).toBeNull();
  expect(toolLabel("Bash")).toBe("Bash");
});

test.each([
  ["/w/a", "/w", "a"], ["/w", "/w", "."], ["/wx/a", "/w", "/wx/a"], ["/a", "", "/a"], ["C:\\w\\a", "C:\\w", "a"],
])("shortPath(%s, %s)", (path, cwd, short) => expect(shortPath(path, cwd)).toBe(short));

test("input that is still being written gives what is there", () => {
  expect({ ...partialInput('{"file_path":"/w/a.go","content":"pack') }).toEqual({ file_path: "/w/a.go", content: "pack" });
  expect({ ...partialInput('{"content":"a\\nb\\u00') }).toEqual({ content: "a\nb" });
  expect({ ...partialInput('{"content":"a\\') }).toEqual({ content: "a" });
  expect({ ...partialInput('{"comm') }).toEqual({});
  expect({ ...partialInput('{"command":"echo \\"x\\"","__proto__":"y"}') }).toMatchObject({ command: 'echo "x"' });
});

test("questions that cannot be asked are left out", () => {
  expect(askedQuestions(null)).toEqual([]);
  expect(askedQuestions({ questions: "no" })).toEqual([]);
  expect(
    askedQuestions({ questions: [{ question: "Which?", options: [{ label: "A" }, { label: "" }, null] }, { header: "x" }] }),
  ).toEqual([
    { question: "Which?", header: "", multiSelect: false, options: [{ label: "A", description: "", preview: "" }] },
  ]);
});
