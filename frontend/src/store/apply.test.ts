import { createStore } from "solid-js/store";
import { beforeEach, describe, expect, it } from "vitest";
import { event, question, session } from "../../gallery/fixtures";
import type { SessionEvent } from "../host/border.gen";
import { applyToConversation, applyToSession, type Store } from "./apply";
import { fromHistory, maxMessages } from "./conversation";
import { createListing } from "./listing";
import { initialState, questionsOf } from "./state";

const empty = { messages: [], total: 0, hasMore: false, before: "", seq: 0 };
let store: Store;

beforeEach(() => {
  const [state, set] = createStore(initialState());
  store = { state, set, listing: createListing() };
  set("sessions", "s", session("s"));
  set("conversations", "s", fromHistory(empty));
});

function feed(...events: SessionEvent[]): void {
  for (const e of events) {
    applyToSession(store, e);
    applyToConversation(store, e);
  }
}

const conversation = () => store.state.conversations["s"]!;
const block = (id: string) => conversation().blocks[id]!;
const tool = (toolUseId: string) => block(conversation().toolBlocks[toolUseId]!).tool!;
const start = (seq: number, toolUseId: string, turnId = "t1") =>
  event("tool_start", "s", seq, { turnId, messageId: "a", blockId: `b-${toolUseId}`, toolUseId, name: "Bash" });

describe("messages", () => {
  it("builds an answer from deltas: the first one opens the block and its message", () => {
    feed(
      event("user_message", "s", 1, { turnId: "t1", messageId: "u", promptId: "p", text: "hi" }),
      event("text_delta", "s", 2, { turnId: "t1", messageId: "a", blockId: "b", text: "Good " }),
      event("text_delta", "s", 3, { turnId: "t1", messageId: "a", blockId: "b", text: "day." }),
    );
    expect(conversation().order).toEqual(["u", "a"]);
    expect(conversation().messages["u"]).toMatchObject({ role: "user", promptId: "p", blockIds: ["u:0"] });
    expect(block("u:0").text).toBe("hi");
    expect(block("b")).toMatchObject({ type: "text", text: "Good day.", open: true });
    feed(event("block_end", "s", 4, { blockId: "b" }));
    expect(block("b")).toMatchObject({ open: false, stopped: false });
  });

  it("keeps the CLI's own answers apart by their model", () => {
    feed(event("text_delta", "s", 1, { messageId: "a", blockId: "b", text: "x", model: "<synthetic>" }));
    expect(conversation().messages["a"]?.model).toBe("<synthetic>");
  });

  it("adds a user message once", () => {
    const message = event("user_message", "s", 1, { messageId: "u", text: "hi" });
    feed(message, message);
    expect(conversation().order).toEqual(["u"]);
  });

  it("counts thinking that the model hides", () => {
    feed(
      event("thinking_start", "s", 1, { messageId: "a", blockId: "th" }),
      event("thinking_delta", "s", 2, { blockId: "th", text: "", tokens: 40 }),
      event("thinking_delta", "s", 3, { blockId: "th", text: "hm", tokens: 0 }),
    );
    expect(block("th")).toMatchObject({ type: "thinking", text: "hm", tokens: 40 });
  });

  it("keeps what a subagent says under the tool use that started it", () => {
    feed(
      start(1, "task"),
      event("text_delta", "s", 2, { parentToolUseId: "task", messageId: "n", blockId: "nb", text: "inner" }),
    );
    expect(conversation().order).toEqual(["a"]);
    expect(conversation().nested).toEqual({ task: ["n"] });
  });

  it("ignores events of sessions whose messages are not in memory", () => {
    feed(event("text_delta", "other", 1, { messageId: "a", blockId: "b", text: "x" }));
    expect(store.state.conversations["other"]).toBeUndefined();
  });

  it("trims a conversation that grew too long when the next prompt comes", () => {
    for (let i = 1; i <= maxMessages; i++) feed(event("user_message", "s", i, { messageId: `u${i}`, text: "x" }));
    expect(conversation().order).toHaveLength(maxMessages / 2);
    expect(conversation().order.at(-1)).toBe(`u${maxMessages}`);
    expect(Object.keys(conversation().messages)).toHaveLength(maxMessages / 2);
    expect(Object.keys(conversation().blocks)).toHaveLength(maxMessages / 2);
    expect(conversation()).toMatchObject({ hasMore: true, before: conversation().order[0] });
  });
});

describe("tools", () => {
  it("goes from input to result", () => {
    feed(start(1, "t"), event("tool_input", "s", 2, { toolUseId: "t", name: "Bash", blockId: "b-t", text: '{"command":' }));
    expect(tool("t")).toMatchObject({ state: "input", inputText: '{"command":' });
    feed(event("tool_pending", "s", 3, { toolUseId: "t", name: "Bash", input: { command: "ls" } }));
    expect(tool("t")).toMatchObject({ state: "pending", input: { command: "ls" }, inputText: "" });
    feed(
      event("tool_result", "s", 4, {
        toolUseId: "t",
        name: "Bash",
        isError: false,
        outcome: "done",
        content: [{ type: "text", text: "a.go" }],
        structured: { stdout: "a.go" },
        durationMs: 12,
      }),
    );
    expect(tool("t")).toMatchObject({ state: "done", durationMs: 12, structured: { stdout: "a.go" } });
  });

  it("puts parallel results where they belong, in any order, once", () => {
    feed(
      start(1, "t1"),
      start(2, "t2"),
      event("user_message", "s", 3, { messageId: "u2", text: "meanwhile" }),
      event("tool_result", "s", 4, { toolUseId: "t2", name: "Bash", isError: true, outcome: "error", content: [{ type: "text", text: "two" }] }),
      event("tool_result", "s", 5, { toolUseId: "t1", name: "Bash", isError: false, outcome: "done", content: [{ type: "text", text: "one" }] }),
      event("tool_result", "s", 6, { toolUseId: "t1", name: "Bash", isError: true, outcome: "error", content: [{ type: "text", text: "again" }] }),
    );
    expect(tool("t1")).toMatchObject({ state: "done", content: [{ text: "one" }] });
    expect(tool("t2")).toMatchObject({ state: "error", content: [{ text: "two" }] });
  });

  it("drops a result of a tool that it does not know", () => {
    feed(event("tool_result", "s", 1, { toolUseId: "gone", name: "Bash", isError: false, outcome: "done", content: [] }));
    expect(conversation().order).toEqual([]);
  });

  it("stops the open tools of an interrupted turn and of no other", () => {
    feed(start(1, "old", "t0"), event("tool_start", "s", 2, { turnId: "t1", messageId: "a2", blockId: "b2", toolUseId: "new", name: "Bash" }));
    feed(event("interrupted", "s", 3, { turnId: "t1" }));
    expect(tool("old").state).toBe("input");
    expect(tool("new")).toMatchObject({ state: "notRun", reason: "interrupted" });
    expect(block("b2").open).toBe(false);
    expect(conversation().messages["notice:3"]?.notice).toEqual({ kind: "interrupted" });
  });

  it("stops what is still open when a turn ends badly, not when it ends well", () => {
    feed(start(1, "t"), event("done", "s", 2, { turnId: "t1", reason: "completed" }));
    expect(tool("t").state).toBe("input");
    feed(event("done", "s", 3, { turnId: "t1", reason: "crashed" }));
    expect(tool("t")).toMatchObject({ state: "notRun", reason: "interrupted" });
  });

  it("marks a tool whose input was cut off", () => {
    feed(start(1, "t"), event("block_end", "s", 2, { blockId: "b-t", stopped: true }));
    expect(tool("t").state).toBe("notRun");
  });

  it("says of each tool of an interrupted turn what became of it, and takes the CLI's word for it", () => {
    const pending = (seq: number, id: string) => event("tool_pending", "s", seq, { toolUseId: id, name: "Bash", input: { command: id } });
    const ended = (seq: number, id: string, outcome: string, reason?: string) =>
      event("tool_result", "s", seq, { toolUseId: id, name: "Bash", isError: outcome !== "done", outcome, ...(reason ? { reason } : {}), content: [] });
    feed(...["asking", "runs", "queued", "late"].flatMap((id, i) => [start(i * 2 + 1, id), pending(i * 2 + 2, id)]));
    feed(ended(9, "asking", "notRun", "interrupted"), event("interrupted", "s", 10, { turnId: "t1" }));
    expect(["asking", "runs", "queued"].map((id) => tool(id).state)).toEqual(["notRun", "stopped", "stopped"]);
    feed(ended(11, "runs", "stopped"), ended(12, "queued", "notRun", "interrupted"), ended(13, "late", "done"), ended(14, "late", "error"));
    expect(["asking", "runs", "queued", "late"].map((id) => tool(id).state)).toEqual(["notRun", "stopped", "notRun", "done"]);
    expect(tool("queued").reason).toBe("interrupted");
    expect(tool("runs").reason).toBeUndefined();
  });

  it("marks a tool as not run as soon as its question ended without a yes", () => {
    for (const [outcome, reason] of [["deny", "denied"], ["expired", "expired"], ["withdrawn", "interrupted"]] as const) {
      feed(start(1, outcome), event("permission_resolved", "s", 2, { requestId: outcome, toolUseId: outcome, outcome }));
      expect(tool(outcome)).toMatchObject({ state: "notRun", reason });
    }
    // The CLI only reports that it was denied.
    feed(event("tool_result", "s", 3, { toolUseId: "deny", name: "Bash", isError: true, outcome: "notRun", reason: "denied", content: [] }));
    feed(event("permission_resolved", "s", 4, { requestId: "q", toolUseId: "deny", outcome: "expired" }));
    expect(tool("deny").reason).toBe("expired");
  });
});

describe("the turn", () => {
  const usage = { inputTokens: 1, cacheReadTokens: 2, cacheCreationTokens: 3, outputTokens: 4 };
  const result = { isError: false, subtype: "success", text: "", costUSD: 0.1, totalCostUSD: 0.5, usage, durationMs: 900, numTurns: 2 };

  it("puts the footer under the last main-thread message of the turn", () => {
    feed(
      event("text_delta", "s", 1, { turnId: "t1", messageId: "a1", blockId: "1", text: "x" }),
      event("text_delta", "s", 2, { turnId: "t1", messageId: "a2", blockId: "2", text: "y" }),
      event("text_delta", "s", 3, { turnId: "t1", messageId: "n", blockId: "3", text: "z", parentToolUseId: "task" }),
      event("user_message", "s", 4, { messageId: "u2", text: "next" }),
      event("result", "s", 5, { turnId: "t1", ...result }),
    );
    expect(conversation().messages["a1"]?.result).toBeUndefined();
    expect(conversation().messages["n"]?.result).toBeUndefined();
    expect(conversation().messages["a2"]?.result).toMatchObject({ costUSD: 0.1, durationMs: 900, numTurns: 2 });
    expect(store.state.sessions["s"]?.totalCostUSD).toBe(0.5);
  });

  it("knows a turn that was stopped from one that failed, and who stopped it", () => {
    feed(
      event("text_delta", "s", 1, { turnId: "t1", messageId: "a1", blockId: "1", text: "x" }),
      event("interrupted", "s", 2, { turnId: "t1", by: "@alice in Mattermost" }),
      event("result", "s", 3, { turnId: "t1", ...result, isError: true, stopped: true }),
    );
    expect(conversation().messages["a1"]?.result).toMatchObject({ isError: false, stopped: true });
    expect(conversation().messages["notice:2"]?.notice).toEqual({ kind: "interrupted", by: "@alice in Mattermost" });
  });

  it("shows what the CLI does until it says something", () => {
    feed(event("status", "s", 1, { status: "retrying", retry: { attempt: 1, maxRetries: 10, delayMs: 500, until: 500, httpStatus: 529, error: "overloaded" } }));
    expect(conversation().activity).toMatchObject({ status: "retrying", retry: { httpStatus: 529 } });
    feed(event("text_delta", "s", 2, { messageId: "a", blockId: "b", text: "x" }));
    expect(conversation().activity).toBeNull();
    feed(event("status", "s", 3, { status: "compacting" }), event("status", "s", 4, { status: "idle" }));
    expect(conversation().activity).toBeNull();
  });

  it("adds notices for what happens to the conversation", () => {
    feed(
      event("compaction", "s", 1, { phase: "started" }),
      event("compaction", "s", 2, { phase: "finished", preTokens: 150_000, postTokens: 9_000 }),
      event("error", "s", 3, { code: "cli_exited", message: "It ended.", hint: "Send again." }),
      event("status", "s", 4, { status: "cleared" }),
    );
    expect(conversation().order.map((id) => conversation().messages[id]?.notice)).toMatchObject([
      { kind: "compaction", preTokens: 150_000, postTokens: 9_000 },
      { kind: "error", text: "It ended.", hint: "Send again." },
      { kind: "cleared" },
    ]);
    expect(store.state.sessions["s"]?.error).toMatchObject({ code: "cli_exited", hint: "Send again." });
  });
});

describe("the session's record", () => {
  it("is replaced by a state event, also for a session that was not known", () => {
    feed(event("state", "new", 1, { session: session("new", { title: "hello", lastSeq: 1 }) }));
    expect(store.state.sessions["new"]?.title).toBe("hello");
    feed(event("state", "new", 2, { session: session("new", { title: "hello", state: "running", lastSeq: 2 }) }));
    expect(store.state.sessions["new"]?.state).toBe("running");
  });

  it("takes the meter's reading without the event's head", () => {
    const reading = {
      used: 10, window: 100, windowSource: "cli", percent: 10, level: "ok",
      inputTokens: 1, cacheReadTokens: 2, cacheCreationTokens: 3, outputTokens: 4,
    };
    feed(event("context_update", "s", 1, reading));
    expect(store.state.sessions["s"]?.context).toEqual(reading);
    // For a model with an unknown window, nothing of the previous one is left.
    const { window: _w, windowSource: _s, percent: _p, level: _l, ...unknown } = reading;
    feed(event("context_update", "s", 2, unknown));
    expect(store.state.sessions["s"]?.context).toEqual(unknown);
  });

  it("keeps background tasks until they are over", () => {
    feed(
      event("task_update", "s", 1, { taskId: "x", status: "running", description: "tests" }),
      event("task_update", "s", 2, { taskId: "y", status: "running" }),
      event("task_update", "s", 3, { taskId: "x", status: "completed" }),
    );
    expect(store.state.sessions["s"]?.tasks).toEqual([{ taskId: "y", status: "running" }]);
  });

  it("keeps questions by id, oldest first, until they are resolved", () => {
    const { sessionId: _, ...late } = question("s", "q2", { askedAt: 2 });
    const { sessionId: __, ...early } = question("s", "q1", { askedAt: 1 });
    feed(event("permission_request", "s", 1, late), event("permission_request", "s", 2, early));
    expect(questionsOf(store.state, "s").map((q) => q.requestId)).toEqual(["q1", "q2"]);
    feed(event("permission_resolved", "s", 3, { requestId: "q1", outcome: "allow" }));
    expect(questionsOf(store.state, "s").map((q) => q.requestId)).toEqual(["q2"]);
  });

  it("does not count a question that is answered automatically, and says at the tool what let it run", () => {
    const { sessionId: _, ...asked } = question("s", "q1", { toolUseId: "t", decided: "guard" });
    feed(start(1, "t"), event("permission_request", "s", 2, asked));
    expect(questionsOf(store.state, "s")).toEqual([]);
    feed(event("permission_resolved", "s", 3, { requestId: "q1", toolUseId: "t", outcome: "allow", by: "guard", why: "It only looks." }));
    expect(tool("t")).toMatchObject({ passedBy: "guard", passedWhy: "It only looks." });
    feed(start(4, "u"), event("permission_resolved", "s", 5, { requestId: "q2", toolUseId: "u", outcome: "allow", by: "window" }));
    expect(tool("u").passedBy).toBeUndefined();
    expect(tool("u").answeredBy).toBeUndefined();
    feed(start(6, "v"), event("permission_resolved", "s", 7, { requestId: "q3", toolUseId: "v", outcome: "deny", by: "@alice in Mattermost" }));
    expect(tool("v")).toMatchObject({ state: "notRun", reason: "denied", answeredBy: "@alice in Mattermost" });
  });

  it("says at the tool what let it run when that came first", () => {
    feed(event("permission_resolved", "s", 1, { requestId: "q1", toolUseId: "t", outcome: "allow", by: "guard", why: "It only looks." }), start(2, "t"));
    expect(tool("t")).toMatchObject({ passedBy: "guard", passedWhy: "It only looks." });
  });

  it("takes what the CLI reports when it is ready", () => {
    feed(
      event("ready", "s", 1, {
        cliSessionId: "c", model: "m", permissionMode: "plan", cliVersion: "2", cwd: "/", tools: [], mcpServers: [], slashCommands: [], agents: [],
      }),
    );
    expect(store.state.sessions["s"]).toMatchObject({ cliSessionId: "c", model: "m", permissionMode: "plan" });
  });
});
