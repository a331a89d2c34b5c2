import { cleanup, render, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createStore } from "solid-js/store";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createFakeHost } from "../../host/fake";
import type { Message, Session } from "../../host/border.gen";
import type { Actions } from "../../store/actions";
import { AppProvider } from "../../store/context";
import { append, fromHistory, prepend } from "../../store/conversation";
import { type AppState, initialState } from "../../store/state";
import { galleryEntries, message, text, tool } from "./gallery";
import { Timeline } from "./Timeline";

afterEach(cleanup);

function draw(messages: Message[], more = false) {
  const start = initialState();
  start.conversations["s"] = fromHistory({ messages, total: messages.length, hasMore: more, before: "", seq: 0 });
  start.sessions["s"] = { cwd: "/home/ada/projects/parley", tasks: [] } as unknown as Session;
  const [state, set] = createStore<AppState>(start);
  const actions = { loadOlder: vi.fn<() => Promise<void>>(() => Promise.resolve()), reload: vi.fn<() => Promise<void>>() };
  const app = { state, host: createFakeHost(), actions: actions as unknown as Actions };
  const view = render(() => (
    <AppProvider app={app}>
      <Timeline sessionId="s" />
    </AppProvider>
  ));
  return { state, set, actions, ...view, user: userEvent.setup() };
}

const find = (container: HTMLElement, slot: string) => container.querySelector<HTMLElement>(`[data-slot="${slot}"]`);

describe("a conversation", () => {
  test("has a heading for every message", () => {
    draw([message("u", [text("u0", "hello")], { role: "user" }), message("a", [text("a0", "hi")])]);
    expect(screen.getAllByRole("heading").map((h) => h.textContent?.split(",")[0])).toEqual(["You", "Claude"]);
  });

  test("draws the prompt as text, the answer as Markdown", () => {
    const { container } = draw([message("u", [text("u0", "**not** <b>bold</b>")], { role: "user" }), message("a", [text("a0", "**bold**")])]);
    expect(container.querySelectorAll("strong")).toHaveLength(1);
    expect(screen.getByText("**not** <b>bold</b>")).toBeInTheDocument();
  });

  test("touches nothing but the block that grows", () => {
    const { container, set } = draw([
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

  test("a new message leaves the others' elements alone", () => {
    const { container, set } = draw([message("a", [text("a0", "one")])]);
    const first = container.querySelector("article");
    set("conversations", "s", (c) => {
      const copy = { ...c, order: [...c.order], messages: { ...c.messages }, blocks: { ...c.blocks } };
      append(copy, message("b", [text("b0", "two")]));
      return copy;
    });
    expect(container.querySelectorAll("article")).toHaveLength(2);
    expect(container.querySelector("article")).toBe(first);
  });

  test("speaks of an answer when it is complete, not before", () => {
    const { container, set } = draw([message("a", [text("a0", "half", { open: true })])]);
    const announcer = find(container, "announcer");
    set("conversations", "s", "blocks", "a0", "text", "half an answer");
    expect(announcer).toHaveTextContent("");
    const usage = { inputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, outputTokens: 1 };
    set("conversations", "s", "messages", "a", "result", { isError: false, costUSD: 0, durationMs: 1, numTurns: 1, usage });
    expect(announcer).toHaveTextContent("Claude: half an answer");
  });

  test("empty, loading and failed have their words", async () => {
    const { set, actions, user } = draw([]);
    expect(screen.getByRole("heading", { name: "Nothing said yet" })).toBeInTheDocument();
    set("conversations", "s", "load", "loading");
    expect(screen.getByRole("status")).toHaveTextContent("Reading the conversation");
    set("conversations", "s", { load: "failed", error: "The file is gone." });
    expect(screen.getByText("The file is gone.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(actions.reload).toHaveBeenCalledWith("s");
  });
});

// jsdom has no layout, so the figures are given.
function layout(element: HTMLElement, figures: { scrollHeight: number; clientHeight: number }) {
  for (const [name, value] of Object.entries(figures)) Object.defineProperty(element, name, { configurable: true, value });
}

describe("scrolling", () => {
  let resized: (() => void)[] = [];
  const withObserver = (run: () => void) => {
    const original = globalThis.ResizeObserver;
    resized = [];
    globalThis.ResizeObserver = class {
      constructor(callback: () => void) {
        resized.push(callback);
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    } as unknown as typeof ResizeObserver;
    run();
    globalThis.ResizeObserver = original;
  };
  const grow = () => resized.forEach((callback) => callback());
  const scrollTo = (scroller: HTMLElement, top: number) => {
    scroller.scrollTop = top;
    scroller.dispatchEvent(new Event("scroll"));
  };

  function drawn(more = false) {
    let view!: ReturnType<typeof draw>;
    withObserver(() => (view = draw([message("a", [text("a0", "x")])], more)));
    const scroller = find(view.container, "scroller") as HTMLElement;
    return { ...view, scroller };
  }

  test("follows the end", () => {
    const { scroller } = drawn();
    layout(scroller, { scrollHeight: 1000, clientHeight: 400 });
    grow();
    expect(scroller.scrollTop).toBe(1000);
  });

  test("stays where the person reads and says that there is more", async () => {
    const { scroller, user } = drawn();
    layout(scroller, { scrollHeight: 1000, clientHeight: 400 });
    grow();
    scrollTo(scroller, 600);
    scrollTo(scroller, 200);
    layout(scroller, { scrollHeight: 1200, clientHeight: 400 });
    grow();
    expect(scroller.scrollTop).toBe(200);
    await user.click(screen.getByRole("button", { name: "New below" }));
    expect(scroller.scrollTop).toBe(1200);
    expect(screen.queryByRole("button", { name: "New below" })).toBeNull();
  });

  test("follows again from the end on", () => {
    const { scroller } = drawn();
    layout(scroller, { scrollHeight: 1000, clientHeight: 400 });
    grow();
    scrollTo(scroller, 600);
    scrollTo(scroller, 100);
    scrollTo(scroller, 590);
    layout(scroller, { scrollHeight: 1500, clientHeight: 400 });
    grow();
    expect(scroller.scrollTop).toBe(1500);
  });

  test("older messages are read at the top and move nothing", async () => {
    const { scroller, container, actions, set } = drawn(true);
    layout(scroller, { scrollHeight: 1000, clientHeight: 400 });
    const anchor = container.querySelector("article") as HTMLElement;
    let top = 20;
    anchor.getBoundingClientRect = () => ({ top }) as DOMRect;
    actions.loadOlder.mockImplementation(() => {
      set("conversations", "s", (c) => {
        const copy = structuredClone({ ...c });
        prepend(copy, { messages: [message("old", [text("o0", "older")])], total: 2, hasMore: false, before: "", seq: 0 });
        return copy;
      });
      top = 320;
      return Promise.resolve();
    });
    scrollTo(scroller, 40);
    await vi.waitFor(() => expect(scroller.scrollTop).toBe(340));
    expect(container.querySelectorAll("article")[1]).toBe(anchor);
  });
});

describe("tools", () => {
  test("one line in plain words, opened by hand", async () => {
    const { container, user } = draw([
      message("a", [tool("Bash", { command: "echo hi" }, { structured: { stdout: "hi\n", stderr: "oops\n", interrupted: false } })]),
    ]);
    const line = screen.getByRole("button", { name: /^Ran echo hi, done$/ });
    expect(line).toHaveAttribute("aria-expanded", "false");
    expect(find(container, "detail")).toBeNull();
    await user.click(line);
    expect(screen.getByRole("group", { name: "Output" })).toHaveTextContent("hi");
    expect(screen.getByRole("group", { name: "Standard error" })).toHaveTextContent("oops");
  });

  test("errors are open", () => {
    draw([message("a", [tool("Bash", { command: "false" }, { state: "error", content: [{ type: "text", text: "Exit code 1" }] })])]);
    expect(screen.getByRole("button", { name: /^Ran false, failed, exit 1$/ })).toHaveAttribute("aria-expanded", "true");
    expect(screen.getByRole("group", { name: "Error" })).toHaveTextContent("Exit code 1");
  });

  test("input that is still written already says what it is about", () => {
    draw([message("a", [tool("Read", undefined, { state: "input", inputText: '{"file_path":"/home/ada/projects/parley/a.go",' })])]);
    expect(screen.getByRole("button", { name: /^Reading a.go, running$/ })).toBeInTheDocument();
  });

  test("what a subagent did stands inside the tool that started it", () => {
    const { container } = draw([
      message("a", [tool("Task", { description: "Look" }, { toolUseId: "parent", state: "pending" })]),
      message("b", [text("b0", "found it")], { parentToolUseId: "parent" }),
      message("c", [text("c0", "the prompt again")], { parentToolUseId: "parent", role: "user" }),
    ]);
    const nested = find(container, "nested") as HTMLElement;
    expect(within(nested).getByText("found it")).toBeInTheDocument();
    expect(screen.queryByText("the prompt again")).toBeNull();
  });

  test("images are drawn only of kinds that cannot run anything", async () => {
    const { container, user } = draw([
      message("a", [
        tool("X", {}, { content: [{ type: "image", mediaType: "image/png", data: "AAAA" }, { type: "image", mediaType: "image/svg+xml", data: "AAAA" }] }),
      ]),
    ]);
    await user.click(screen.getByRole("button", { name: /Used X/ }));
    expect([...container.querySelectorAll("img")].map((img) => img.getAttribute("src"))).toEqual(["data:image/png;base64,AAAA"]);
    expect(screen.getByText(/cannot be shown/)).toBeInTheDocument();
  });

  test("hostile input and output stay text", async () => {
    const evil = "<img src=x onerror=alert(1)><script>alert(1)</script>";
    const { container, user } = draw([
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

test("every state of the gallery is drawn", () => {
  for (const entry of galleryEntries) {
    const { container, unmount } = render(entry.component);
    expect(container.textContent).not.toBe("");
    unmount();
  }
});
