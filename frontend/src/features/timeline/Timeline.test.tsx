import { cleanup, render, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createStore, produce } from "solid-js/store";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createFakeHost } from "../../host/fake";
import { giveSizes } from "../../test/sizes";
import type { Message, Session } from "../../host/border.gen";
import type { Actions } from "../../store/actions";
import { AppProvider } from "../../store/context";
import { append, fromHistory, prepend } from "../../store/conversation";
import { createLayout } from "../../store/layout";
import { createListing } from "../../store/listing";
import { type AppState, initialState } from "../../store/state";
import { galleryEntries, message, text, tool } from "./gallery";
import { Timeline } from "./Timeline";

afterEach(cleanup);

/** Renders a conversation and waits until it is complete. */
async function draw(messages: Message[], more = false) {
  giveSizes();
  const view = drawn(messages, more);
  await vi.waitFor(() => expect(view.container.querySelectorAll('[data-slot="row"]')).toHaveLength(messages.filter((m) => !m.parentToolUseId).length));
  return view;
}

function drawn(messages: Message[], more = false) {
  const start = initialState();
  start.conversations["s"] = fromHistory({ messages, total: messages.length, hasMore: more, before: "", seq: 0 });
  start.sessions["s"] = { cwd: "/home/ada/projects/parley", tasks: [], pid: 0, state: "idle" } as unknown as Session;
  const [state, set] = createStore<AppState>(start);
  const actions = { settleJump() {}, loadOlder: vi.fn<() => Promise<void>>(() => Promise.resolve()), reload: vi.fn<() => Promise<void>>(),
    refresh: vi.fn<() => void>(), leaveJump: vi.fn<() => void>(), bridge: vi.fn<() => Promise<void>>(() => Promise.resolve()), fork: vi.fn<() => Promise<void>>() };
  const host = createFakeHost();
  const app = { state, host, actions: actions as unknown as Actions, listing: createListing(), layout: createLayout(host, () => {}), follow: () => () => {} };
  const view = render(() => (
    <AppProvider app={app}>
      <Timeline sessionId="s" />
    </AppProvider>
  ));
  return { app, state, set, actions, ...view, user: userEvent.setup() };
}

const find = (container: HTMLElement, slot: string) => container.querySelector<HTMLElement>(`[data-slot="${slot}"]`);

describe("a conversation", () => {
  test("has a heading for every message", async () => {
    await draw([message("u", [text("u0", "hello")], { role: "user" }), message("a", [text("a0", "hi")])]);
    expect(screen.getAllByRole("heading").map((h) => h.textContent?.split(",")[0])).toEqual(["You", "Claude"]);
  });

  test("says when it was begun, once nothing is left to read before it", async () => {
    const { container, set } = await draw([message("u", [text("u0", "hello")], { role: "user" }), message("a", [text("a0", "hi")])], true);
    expect(screen.queryByText(/^Session started/)).toBeNull();
    set("conversations", "s", "hasMore", false);
    expect(screen.getAllByText(/^Session started \d\d:\d\d/)).toHaveLength(1);
    expect(container.querySelector('[data-row="u"]')).toHaveTextContent(/^Session started/);
    set("conversations", "s", produce((c) => prepend(c, { messages: [message("o", [text("o0", "older")], { role: "user" })], total: 3, hasMore: false, before: "", seq: 0 })));
    await vi.waitFor(() => expect(container.querySelector('[data-row="o"]')).toHaveTextContent(/^Session started/));
    expect(screen.getAllByText(/^Session started/)).toHaveLength(1);
  });

  test("draws the prompt as text, the answer as Markdown", async () => {
    const { container } = await draw([message("u", [text("u0", "**not** <b>bold</b>")], { role: "user" }), message("a", [text("a0", "**bold**")])]);
    expect(container.querySelectorAll("strong")).toHaveLength(1);
    expect(screen.getByText("**not** <b>bold</b>")).toBeInTheDocument();
  });

  test("touches nothing but the block that grows", async () => {
    const { container, set } = await draw([
      message("a", [text("a0", "done"), tool("Bash", { command: "ls" }, { state: "pending" }), text("a1", "grow", { open: true })]),
    ]);
    const targets: Node[] = [];
    const observer = new MutationObserver((records) => targets.push(...records.map((r) => r.target)));
    observer.observe(container, { childList: true, characterData: true, attributes: true, subtree: true });
    for (let i = 0; i < 5; i++) set("conversations", "s", "blocks", "a1", "text", (t) => `${t} on`);
    targets.push(...observer.takeRecords().map((r) => r.target));
    const growing = container.querySelectorAll('[data-component="markdown"]')[1];
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.every((target) => growing?.contains(target))).toBe(true);
    expect(growing).toHaveTextContent("grow on on on on on");
  });

  test("a new message leaves the others' elements alone", async () => {
    const { container, set } = await draw([message("a", [text("a0", "one")])]);
    const first = container.querySelector("article");
    set("conversations", "s", (c) => {
      const copy = { ...c, order: [...c.order], messages: { ...c.messages }, blocks: { ...c.blocks } };
      append(copy, message("b", [text("b0", "two")]));
      return copy;
    });
    expect(container.querySelectorAll("article")).toHaveLength(2);
    expect(container.querySelector("article")).toBe(first);
  });

  test("speaks of an answer when it is complete, not before", async () => {
    const { container, set } = await draw([message("a", [text("a0", "half", { open: true })])]);
    const announcer = find(container, "announcer");
    set("conversations", "s", "blocks", "a0", "text", "half an answer");
    expect(announcer).toHaveTextContent("");
    const usage = { inputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, outputTokens: 1 };
    set("conversations", "s", "messages", "a", "result", { isError: false, costUSD: 0, durationMs: 1, numTurns: 1, usage });
    expect(announcer).toHaveTextContent("Claude: half an answer");
  });

  test("does not speak of what was said before it was read", async () => {
    const result = { isError: false, costUSD: 0, durationMs: 1, numTurns: 1, usage: { inputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, outputTokens: 1 } };
    const page = (messages: Message[]) => fromHistory({ messages, total: 9, hasMore: false, before: "", seq: 0 });
    const { container, set } = await draw([message("far", [text("f0", "far back")])]);
    // A jump shows a place far back while the newest messages are still loading.
    set("jumps", "s", { messageId: "far", busy: false, error: "", page: page([message("far", [text("f0", "far back")])]), serial: 1 });
    set("conversations", "s", { ...page([]), load: "loading" });
    set("conversations", "s", page([message("a", [text("a0", "said long ago")], { result }), message("b", [text("b0", "new")])]));
    expect(find(container, "announcer")).toHaveTextContent(/^$/);
    set("conversations", "s", "messages", "b", "result", result);
    expect(find(container, "announcer")).toHaveTextContent("Claude: new");
  });

  test("empty, loading and failed have their words", async () => {
    const { set, actions, user } = await draw([]);
    expect(screen.getByRole("heading", { name: "What should we work on?" })).toBeInTheDocument();
    set("conversations", "s", "load", "loading");
    expect(screen.getByRole("status")).toHaveTextContent("Loading the conversation");
    set("conversations", "s", { load: "failed", error: "The file is gone." });
    expect(screen.getByText("The file is gone.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(actions.reload).toHaveBeenCalledWith("s");
  });
});

describe("what is drawn", () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => message(`m${i}`, [text(`t${i}`, `number ${i}`)]));

  test("is what is in sight, of however many messages there are", async () => {
    giveSizes();
    const { container } = drawn(many(2000));
    await vi.waitFor(() => expect(screen.getByText("number 0")).toBeInTheDocument());
    expect(container.querySelectorAll("article").length).toBeLessThan(60);
  });

  test("asks for older messages before the beginning is reached", async () => {
    const { actions, container } = await draw(many(3), true);
    const scroller = find(container, "scroller") as HTMLElement;
    Object.defineProperty(scroller, "clientHeight", { value: 800 });
    scroller.dispatchEvent(new Event("scroll"));
    await vi.waitFor(() => expect(actions.loadOlder).toHaveBeenCalledWith("s"));
  });

  test("older messages come in front without drawing the others anew", async () => {
    const { container, set } = await draw(many(3), true);
    const first = container.querySelector("article");
    set("conversations", "s", produce((c) => prepend(c, { messages: [message("old", [text("o", "older")])], total: 4, hasMore: false, before: "", seq: 0 })));
    await vi.waitFor(() => expect(screen.getByText("older")).toBeInTheDocument());
    expect(container.querySelectorAll("article")[1]).toBe(first);
  });

  test("a text beyond all measure is folded, and shown in slices", async () => {
    const monster = "word ".repeat(320_000);
    const { container, user } = await draw([
      message("u", [text("u0", monster)], { role: "user" }),
      message("a", [text("a0", monster)]),
      message("b", [tool("Bash", { command: "cat" }, { content: [{ type: "text", text: monster }], structured: { stdout: monster, stderr: "", interrupted: false } })]),
    ]);
    expect(container.textContent?.length).toBeLessThan(10_000);
    expect(screen.getAllByRole("group", { name: /^Long / })).toHaveLength(3);
    const answer = screen.getByRole("group", { name: "Long text" });
    await user.click(within(answer).getByRole("button", { name: /^Show more/ }));
    expect(answer.textContent?.length).toBeGreaterThan(64_000);
    expect(answer.textContent?.length).toBeLessThan(70_000);
    await user.click(screen.getByRole("button", { name: /^Long stdout.*Show the start$/ }));
    expect(screen.getByRole("region", { name: "Long stdout" })).toHaveTextContent(/^word word/);
  });
});

test("the end of a turn leads to what the session used", async () => {
  const usage = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 0, cacheCreationTokens: 0 };
  const result = { subtype: "success", isError: false, durationMs: 1500, numTurns: 1, costUSD: 0.01, totalCostUSD: 0.01, usage };
  const { app, user } = await draw([message("a", [text("a0", "Done.")], { result } as Partial<Message>)]);
  await user.click(screen.getByTitle("Turn details"));
  await user.click(screen.getByRole("button", { name: "Session usage" }));
  expect(app.layout.state.inspector).toMatchObject({ open: true, tab: "context" });
});

describe("tools", () => {
  test("one line in plain words, opened by hand", async () => {
    const { container, user } = await draw([
      message("a", [tool("Bash", { command: "echo hi" }, { structured: { stdout: "hi\n", stderr: "oops\n", interrupted: false } })]),
    ]);
    const line = screen.getByRole("button", { name: /^Ran echo hi, 0\.2 s, done$/ });
    expect(line).toHaveAttribute("aria-expanded", "false");
    expect(find(container, "detail")).toBeNull();
    await user.click(line);
    expect(screen.getByRole("group", { name: "Output" })).toHaveTextContent("hi");
    expect(screen.getByRole("group", { name: "Standard error" })).toHaveTextContent("oops");
  });

  test("errors are open", async () => {
    await draw([message("a", [tool("Bash", { command: "false" }, { state: "error", content: [{ type: "text", text: "Exit code 1" }] })])]);
    expect(screen.getByRole("button", { name: /^Ran false, exit 1, 0\.2 s, failed$/ })).toHaveAttribute("aria-expanded", "true");
    expect(screen.getByRole("group", { name: "Error" })).toHaveTextContent("Exit code 1");
  });

  test("input that is still written already says what it is about", async () => {
    await draw([message("a", [tool("Read", undefined, { state: "input", inputText: '{"file_path":"/home/ada/projects/parley/a.go",' })])]);
    expect(screen.getByRole("button", { name: /^Reading a.go, running$/ })).toBeInTheDocument();
  });

  test("what a subagent did stands inside the tool that started it", async () => {
    const { container } = await draw([
      message("a", [tool("Task", { description: "Look" }, { toolUseId: "parent", state: "pending" })]),
      message("b", [text("b0", "found it")], { parentToolUseId: "parent" }),
      message("c", [text("c0", "the prompt again")], { parentToolUseId: "parent", role: "user" }),
    ]);
    const nested = find(container, "nested") as HTMLElement;
    expect(within(nested).getByText("found it")).toBeInTheDocument();
    expect(screen.queryByText("the prompt again")).toBeNull();
  });

  test("images are drawn only of kinds that cannot run anything", async () => {
    const { container, user } = await draw([
      message("a", [
        tool("X", {}, { content: [{ type: "image", mediaType: "image/png", data: "AAAA" }, { type: "image", mediaType: "image/svg+xml", data: "AAAA" }] }),
      ]),
    ]);
    await user.click(screen.getByRole("button", { name: /Used X/ }));
    expect([...container.querySelectorAll("img")].map((img) => img.getAttribute("src"))).toEqual(["data:image/png;base64,AAAA"]);
    expect(screen.getByText(/can’t be shown/)).toBeInTheDocument();
  });

  test("hostile input and output stay text", async () => {
    const evil = "<img src=x onerror=alert(1)><script>alert(1)</script>";
    const { container, user } = await draw([
      message("a", [
        tool("Bash", { command: evil }, { structured: { stdout: evil, stderr: "", interrupted: false } }),
        tool("mcp__x__y", { evil }, { content: [{ type: "text", text: evil }] }),
        tool("WebSearch", { query: evil }, { structured: { results: [{ content: [{ title: evil, url: "javascript:alert(1)" }] }] } }),
      ]),
    ]);
    for (const line of screen.getAllByRole("button", { expanded: false })) await user.click(line);
    expect(container.querySelectorAll("img, script, a")).toHaveLength(0);
  });
});

describe("where a conversation comes from and how it continues", () => {
  const ended = () => message("notice:interrupted:t", [], { role: "notice", notice: { kind: "interrupted" } });

  test("a turn that ended with Parley says so, and offers the next step only at the end", async () => {
    const { set } = await draw([ended()]);
    expect(screen.getByText("Parley quit during this turn.")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Draft a prompt to continue" })).toBeInTheDocument();
    set("conversations", "s", (c) => {
      const copy = { ...c, order: [...c.order], messages: { ...c.messages }, blocks: { ...c.blocks } };
      append(copy, message("u", [text("u0", "on")], { role: "user" }));
      return copy;
    });
    expect(screen.queryByRole("button", { name: "Draft a prompt to continue" })).toBeNull();
  });

  test("one from the terminal says so, and whether it continues there", async () => {
    const { set } = await draw([message("a", [text("a0", "hi")])]);
    expect(screen.queryByText(/terminal/)).toBeNull();
    set("sessions", "s", { origin: "cli", lastActivityAt: Date.now() - 3_600_000 });
    expect(screen.getByText(/started in a terminal/)).toBeInTheDocument();
    set("sessions", "s", { lastActivityAt: Date.now() });
    expect(screen.getByText(/is active in a terminal/)).toBeInTheDocument();
  });

  test("its growth is read when nobody runs it here", async () => {
    const { set, actions } = await draw([message("a", [text("a0", "hi")])]);
    set("sessions", "s", { pid: 0, state: "idle", bytes: 10, messages: 1, lastActivityAt: 1 });
    expect(actions.refresh).toHaveBeenCalledTimes(1);
    set("sessions", "s", { bytes: 20 });
    expect(actions.refresh).toHaveBeenCalledTimes(2);
    set("sessions", "s", { pid: 7 });
    set("sessions", "s", { bytes: 30 });
    expect(actions.refresh).toHaveBeenCalledTimes(2);
  });

  test("a page from far back has its mark and a way to the newest", async () => {
    const { set, actions, user } = await draw([message("a", [text("a0", "new")])]);
    const page = fromHistory({ messages: [message("old", [text("o0", "found")])], total: 9, hasMore: true, before: "x", seq: 0 });
    set("jumps", "s", { messageId: "old", busy: false, error: "", page, serial: 1 });
    expect((await screen.findByText("found")).closest("[data-message-id]")).toHaveAttribute("data-marked");
    expect(screen.queryByText("new")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Back to latest" }));
    expect(actions.leaveJump).toHaveBeenCalledWith("s");
  });

  test("a message can be forked from", async () => {
    const { actions, user } = await draw([message("a", [text("a0", "hi")])]);
    await user.click(await screen.findByRole("button", { name: "More about this message" }));
    await user.click(await screen.findByRole("menuitem", { name: /Fork from here/ }));
    expect(actions.fork).toHaveBeenCalledWith("s", "a");
  });
});

test("every state of the gallery is drawn", async () => {
  const { app } = await draw([]);
  cleanup();
  for (const entry of galleryEntries) {
    const { container, unmount } = render(() => <AppProvider app={app}>{entry.component()}</AppProvider>);
    expect(container.textContent).not.toBe("");
    unmount();
  }
});
