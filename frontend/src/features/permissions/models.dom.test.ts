import { expect, it } from "vitest";
import { record, rule } from "../../../gallery/permissions";
import { question } from "../../../gallery/fixtures";
import { createFakeHost } from "../../host/fake";
import { everything, exported, filterOf } from "./log";
import { byFile, grouped, matching, placeOf, scopeOf } from "./rules";
import { paramsOf, type Trial } from "./try";
import { nextWaiting, sessionsOf } from "./waiting";

it("puts rules where they hold, what holds everywhere first", () => {
  const groups = grouped([
    rule("a", "Bash(a)", { scope: "session", scopeId: "s1" }),
    rule("c", "Bash(c)"),
    rule("d", "Bash(d)", { scope: "workspace", scopeId: "w1" }),
    rule("e", "Bash(e)"),
    rule("f", "Bash(f)", { scope: "workspace", scopeId: "w2" }),
  ]);
  expect(groups.map((group) => [group.id, group.rules.map((one) => one.id)])).toEqual([
    ["global", ["c", "e"]],
    ["workspace:w1", ["d"]],
    ["workspace:w2", ["f"]],
    ["session:s1", ["a"]],
  ]);
});

it("finds rules by every word, in the text, the note, the effect and the file", () => {
  const rules = [rule("a", "Bash(git push:*)", { note: "Look first" }), rule("b", "Bash(git status)")];
  const ids = (query: string) => matching(rules, query, (one) => (one.id === "a" ? "Asks" : "Allowed")).map((one) => one.id);
  expect(ids("")).toEqual(["a", "b"]);
  expect(ids("GIT first")).toEqual(["a"]);
  expect(ids("allowed")).toEqual(["b"]);
  expect(ids("svn")).toEqual([]);
  const own = [{ effect: "allow", text: "Read", where: "userSettings", file: "/home/ada/.claude/settings.json", inEffect: true }];
  expect(matching(own, "ada", () => "")).toEqual(own);
});

it("lists the CLI's rules by their file", () => {
  const one = (text: string, file?: string) => ({ effect: "allow", text, where: "userSettings", inEffect: true, ...(file ? { file } : {}) });
  expect(byFile([one("a", "/x"), one("b"), one("c", "/x")]).map(({ file, rules }) => [file, rules.map(({ text }) => text)])).toEqual([
    ["/x", ["a", "c"]],
    ["", ["b"]],
  ]);
});

it.each([
  ["global", { scope: "global" }],
  ["workspace:w1", { scope: "workspace", scopeId: "w1" }],
  ["session:a:b", { scope: "session", scopeId: "a:b" }],
])("a rule's place %j and back", (place, scope) => {
  expect(scopeOf(place)).toEqual(scope);
  expect(placeOf({ scopeId: "", ...scope })).toBe(place);
});

it.each<[string, Partial<Trial>, unknown]>([
  ["nothing written", {}, null],
  ["no place", { value: "ls", place: "" }, null],
  ["a command", { value: "ls -la" }, { tool: "Bash", input: { command: "ls -la" }, sessionId: "s1" }],
  ["in a folder", { value: "ls", place: "folder:/a:b" }, { tool: "Bash", input: { command: "ls" }, cwd: "/a:b" }],
  ["a file that is written", { tool: "Write", value: "/x" }, { tool: "Write", input: { file_path: "/x", content: "" }, sessionId: "s1" }],
  ["another tool", { tool: "", name: " mcp__x__y ", value: '{"a":1}' }, { tool: "mcp__x__y", input: { a: 1 }, sessionId: "s1" }],
  ["another tool without input", { tool: "", name: "Task" }, { tool: "Task", input: {}, sessionId: "s1" }],
  ["another tool without a name", { tool: "", value: "{}" }, null],
  ["a list is no input", { tool: "", name: "X", value: "[1]" }, "json"],
  ["broken input", { tool: "", name: "X", value: "{" }, "json"],
])("tries %s", (_, change, want) => {
  expect(paramsOf({ tool: "Bash", name: "", value: "", place: "session:s1", ...change })).toEqual(want);
});

it("asks the log for what is chosen", () => {
  expect(filterOf(everything, 1000)).toEqual({});
  const now = 10 * 86_400_000;
  expect(filterOf({ session: "s1", tool: " Bash ", outcome: "deny", by: "window", time: "week" }, now)).toEqual({
    sessionId: "s1", tool: "Bash", outcome: "deny", by: "window", since: 3 * 86_400_000,
  });
});

it("saves all parts of the log, one after the other", async () => {
  const host = createFakeHost({ "audit.export": ({ after = 0 }) => ({ text: `${JSON.stringify(record(after + 1))}\n`, next: after < 2 ? after + 1 : 0 }) });
  const lines = (await exported(host, { tool: "Bash" })).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3]);
  expect(host.callsOf("audit.export")).toEqual([{ tool: "Bash" }, { tool: "Bash", after: 1 }, { tool: "Bash", after: 2 }]);
});

it("goes from one session that waits to the next, the oldest first", () => {
  const all = [question("b", "1"), question("a", "2"), question("b", "3"), question("c", "4")];
  expect(sessionsOf(all)).toEqual(["b", "a", "c"]);
  expect([null, "x", "b", "a", "c"].map((current) => nextWaiting(all, current))).toEqual(["b", "b", "a", "c", "b"]);
  expect(nextWaiting([], "a")).toBeNull();
});
