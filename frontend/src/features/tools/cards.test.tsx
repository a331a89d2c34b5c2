import { cleanup, render, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createFakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import type { Tool } from "../../host/border.gen";
import type { Actions } from "../../store/actions";
import { AppProvider } from "../../store/context";
import { createLayout } from "../../store/layout";
import { createListing } from "../../store/listing";
import { initialState } from "../../store/state";
import { message, scopeOf, text } from "../timeline/gallery";
import { MessageView } from "../timeline/Message";
import type { Scope } from "../../store/scope";
import { type Example, examples, ownExamples, states, toolOf } from "./examples";
import { ToolCard } from "./ToolCard";

afterEach(() => {
  cleanup();
  localStorage.clear();
});

function draw(tool: Tool, change: Partial<Scope> = {}, open = true) {
  const host = createFakeHost();
  const scope = scopeOf([], change);
  const app = { state: initialState(), host, actions: {} as unknown as Actions, listing: createListing(), layout: createLayout(host, () => {}), follow: () => () => {} };
  render(() => (
    <AppProvider app={app}>
      <ToolCard tool={tool} scope={scope} renderNested={(id, inner) => <MessageView id={id} scope={inner} />} open={open} />
    </AppProvider>
  ));
  const card = document.querySelector<HTMLElement>('[data-component="tool-card"]') as HTMLElement;
  return { host, card, user: userEvent.setup(), line: () => card.querySelector('[data-slot="line"]') as HTMLElement };
}

const named = (name: string, about = ""): Example => {
  const found = examples.find((example) => example.name === name && example.about === about);
  if (!found) throw new Error(`No example of ${name}.`);
  return found;
};

describe("the card of each tool", () => {
  test.each([...examples, ...ownExamples].map((example) => [`${example.name} ${example.about}`, example] as const))("%s says what there is to say", async (_, example) => {
    const { card } = draw(toolOf(example, "done"));
    for (const words of example.says) expect(card.textContent).toContain(words);
    expect(card.querySelector("a[href^='javascript']")).toBeNull();
  });

  test.each([...examples, ...ownExamples].filter((e) => e.about === "").map((e) => [e.name, e] as const))("%s has a line in every state", async (_, example) => {
    for (const state of states) {
      const { line, card } = draw(toolOf(example, state), { asking: () => state === "asking" }, false);
      const shown = state === "expired" || state === "interrupted" ? "notRun" : state;
      expect(card.dataset["state"]).toBe(shown);
      expect(line().getAttribute("aria-label")).toMatch(/\S/);
      expect(line().textContent).not.toMatch(/undefined|null|\[object/);
      cleanup();
    }
  });
});

describe("a change of a file", () => {
  test("opens in the editor, at the line of the change", async () => {
    const { host, user, card } = draw(toolOf(named("Edit"), "done"));
    const opened = vi.fn<(params: unknown) => { editor: string }>(() => ({ editor: "Zed" }));
    host.on("editor.open", opened);
    await user.click(screen.getByRole("button", { name: /upload\.go:13, Open line 13 in the editor/ }));
    expect(opened).toHaveBeenCalledWith({ sessionId: "s1", path: "/home/ada/projects/parley/upload.go", line: 13 });
    await vi.waitFor(() => expect(card.textContent).toContain("Opened in Zed"));
    host.on("editor.open", () => { throw new HostError("not_found", "The file does not exist any more."); });
    await user.click(screen.getByRole("button", { name: /Open line 13/ }));
    await vi.waitFor(() => expect(card.textContent).toContain("does not exist any more"));
  });

  test("is shown in one column or two, the next time too", async () => {
    const { user, card } = draw(toolOf(named("Edit"), "done"));
    const layout = () => card.querySelector<HTMLElement>('[data-component="diff"]')?.dataset["layout"];
    expect(layout()).toBe("unified");
    await user.click(screen.getByRole("button", { name: "Side by side" }));
    expect(layout()).toBe("split");
    expect(localStorage.getItem("parley.diff")).toBe("split");
    const pairs = [...card.querySelectorAll('[data-slot="pair"]')].map((pair) => [...pair.querySelectorAll("code")].map((code) => code.textContent));
    expect(pairs).toContainEqual(["const most = 3 // attempts", "const most = 5 // attempts"]);
    await user.click(screen.getByRole("button", { name: "Unified" }));
    expect(layout()).toBe("unified");
  });

  test("marks the words that changed", async () => {
    const { card } = draw(toolOf(named("Edit"), "done"));
    expect([...card.querySelectorAll("[data-mark]")].map((mark) => mark.textContent)).toEqual(["3", "5"]);
  });

  test("that was not made is shown to be none", async () => {
    const { card } = draw({ ...toolOf(named("Edit"), "error"), input: { file_path: "/x/a.go", old_string: "old", new_string: "new" } });
    expect(card.textContent).toContain("That did not work.");
    expect(card.textContent).toContain("Proposed change:");
  });
});

describe("a tree", () => {
  const huge = { list: Array.from({ length: 20_000 }, (_, i) => ({ id: i, words: "x".repeat(50) })), text: "y".repeat(500_000) };

  test("of a megabyte opens folded, and gives more on demand", async () => {
    const { card, user } = draw({ ...toolOf(named("SomethingNew"), "done"), input: huge });
    expect(card.querySelectorAll("*").length).toBeLessThan(400);
    expect(card.textContent?.length).toBeLessThan(5000);
    await user.click(screen.getByRole("button", { name: /list.*20,000 items/ }));
    expect(card.querySelectorAll('[data-component="json-tree"] li').length).toBeLessThan(60);
    await user.click(screen.getByRole("button", { name: /Show 19,950 more/ }));
    expect(card.querySelectorAll('[data-component="json-tree"] li').length).toBeLessThan(600);
  });

  test("tells the types of its leaves apart and can be read as text", async () => {
    const { card, user } = draw({ ...toolOf(named("SomethingNew"), "done"), input: { n: 1, s: "<b>", t: true, z: null, e: [] } });
    const types = [...card.querySelectorAll<HTMLElement>("[data-type]")].map((leaf) => [leaf.textContent, leaf.dataset["type"]]);
    expect(types).toEqual([["1", "number"], ["<b>", "string"], ["true", "boolean"], ["null", "null"], ["[]", "list"]]);
    await user.click(screen.getByRole("button", { name: "As text" }));
    expect(card.textContent).toContain('"s": "<b>"');
  });

  test("a result of a megabyte is not read as JSON", async () => {
    const { card } = draw({ ...toolOf(named("SomethingNew"), "done"), content: [{ type: "text", text: JSON.stringify(huge) }] });
    expect(card.querySelectorAll('[data-component="json-tree"]')).toHaveLength(1);
    expect(card.textContent?.length).toBeLessThan(80_000);
  });
});

describe("a subagent", () => {
  const agent = () => ({ ...toolOf(named("Agent"), "done"), toolUseId: "g1" });
  const page = (ids: string[], before: string) => ({
    messages: ids.map((id) => message(id, [text(`${id}:0`, `words of ${id}`)], { parentToolUseId: "g1" })), total: ids.length, hasMore: before !== "", before, seq: 1,
  });

  test("that is on disk is read when a user asks, page by page", async () => {
    const { host, user, card } = draw(agent());
    const calls: unknown[] = [];
    host.on("session.agent", (params) => {
      calls.push(params);
      return params.before === "" ? page(["m2", "m3"], "c1") : page(["m1"], "");
    });
    await user.click(screen.getByRole("button", { name: "Show steps" }));
    await vi.waitFor(() => expect(card.textContent).toContain("words of m3"));
    await user.click(screen.getByRole("button", { name: "Show earlier steps" }));
    await vi.waitFor(() => expect(card.textContent).toMatch(/words of m1[\s\S]*words of m2[\s\S]*words of m3/));
    expect(calls).toEqual([
      { sessionId: "s1", toolUseId: "g1", agentId: "a1", limit: 50, before: "" }, { sessionId: "s1", toolUseId: "g1", agentId: "a1", limit: 50, before: "c1" },
    ]);
    expect(screen.queryByRole("button", { name: "Show earlier steps" })).toBeNull();
  });

  test("that nobody kept is shown to be gone", async () => {
    const { host, user, card } = draw(agent());
    host.on("session.agent", () => { throw new HostError("not_found", "nothing"); });
    await user.click(screen.getByRole("button", { name: "Show steps" }));
    await vi.waitFor(() => expect(card.textContent).toContain("didn’t keep"));
  });

  test("draws its last steps only, the others on demand", async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `m${i}`);
    const { card, user } = draw(agent(), { conversation: scopeOf(page(ids, "").messages).conversation });
    expect(card.querySelectorAll("[data-message-id]")).toHaveLength(10);
    expect(card.textContent).toContain("words of m39");
    await user.click(screen.getByRole("button", { name: "Show 30 earlier steps" }));
    expect(card.querySelectorAll("[data-message-id]")).toHaveLength(40);
  });

  test("at work says what it does now and can be stopped", async () => {
    const going = { taskId: "t1", toolUseId: "g1", status: "running", lastTool: "Grep", toolUses: 3, totalTokens: 12_400 };
    const { host, user, line } = draw({ ...agent(), state: "pending" }, { task: () => going });
    expect(line().textContent).toContain("Grep · 3 steps · 12k tokens");
    const stopped = vi.fn<(params: unknown) => Record<string, never>>(() => ({}));
    host.on("task.stop", stopped);
    await user.click(screen.getByRole("button", { name: "Stop" }));
    await vi.waitFor(() => expect(stopped).toHaveBeenCalledWith({ sessionId: "s1", taskId: "t1" }));
  });
});

describe("a tool that failed", () => {
  test.each([...examples, ...ownExamples].map((example) => [`${example.name} ${example.about}`, example] as const))("%s says why, in words for a person", (_, example) => {
    for (const [state, why] of [["error", example.name === "Bash" ? "retries five times" : "That did not work."], ["notRun", "Not in this folder."]] as const) {
      const { card } = draw(toolOf(example, state));
      expect(card.textContent?.split(why)).toHaveLength(2);
      expect(card.textContent).not.toContain("<tool_use_error>");
      // An empty part would still take up space.
      expect([...card.querySelectorAll('[data-component="tool-detail"] > :empty')].map((e) => e.outerHTML)).toEqual([]);
      cleanup();
    }
  });
});

describe("a tool that did not run", () => {
  const card = (name: string, change: Partial<Tool>) => draw({ ...toolOf(named(name), "pending"), durationMs: 62, content: [], ...change }, {}, false);
  test.each([
    ["Bash", "denied", "Didn’t run", "denied"],
    ["Bash", "expired", "Didn’t run", "timed out with no answer"],
    ["Write", "interrupted", "Didn’t write", "stopped before it started"],
    ["Edit", "skipped", "Didn’t edit", "skipped"],
    ["Bash", "unavailable", "Didn’t run", "no such tool"],
    ["AskUserQuestion", "interrupted", "Asked you", "no answer"],
    ["ExitPlanMode", "denied", "Proposed a plan", "denied"],
  ])("%s, %s: says so calmly, with the reason and without a time", (name, reason, verb, why) => {
    const { line, card: drawn } = card(name, { state: "notRun", reason });
    expect(line().getAttribute("aria-label")).toMatch(new RegExp(`^${verb}.*, ${why}, not run$`));
    expect(line()).toHaveAttribute("aria-expanded", "false");
    expect(drawn.textContent).not.toMatch(/62|Error|Ran|Stopped/);
  });

  test("is not taken for one that was stopped, nor for one of which nobody knows", () => {
    expect(card("Bash", { state: "stopped" }).line().getAttribute("aria-label")).toMatch(/^Stopped running .*, stopped$/);
    cleanup();
    expect(card("Bash", { state: "cutOff" }).line().getAttribute("aria-label")).toMatch(/^Cut off running .*, may have run, .*cut off$/);
  });

  test("shows no change as made", () => {
    const { card: drawn } = draw({ ...toolOf(named("Write"), "pending"), state: "notRun", reason: "denied", content: [] });
    expect(drawn.textContent).toContain("Proposed change:");
    expect(drawn.textContent).not.toMatch(/\+\d/);
  });
});

test.each(["ExitPlanMode", "AskUserQuestion"])("%s is folded while it stands in the question below, and open afterwards", (name) => {
  const { line } = draw(toolOf(named(name), "asking"), { asking: () => true }, false);
  expect(line()).toHaveAttribute("aria-expanded", "false");
  cleanup();
  const after = draw(toolOf(named(name), "done"), {}, false);
  expect(after.line()).toHaveAttribute("aria-expanded", "true");
});
