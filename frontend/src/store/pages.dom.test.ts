import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assistant, info, session, user } from "../../gallery/fixtures";
import type { Message } from "../host/border.gen";
import { createFakeHost, type FakeHost } from "../host/fake";
import { HostError } from "../host/host";
import { createApp } from "./create";
import { keepFor, maxConversations, refreshEvery } from "./pages";

let host: FakeHost;
let app: ReturnType<typeof createApp>;
let newest: Message[];

const ids = Array.from({ length: 9 }, (_, i) => `s${i}`);
const page = (messages: Message[], hasMore = false, before = "") => ({ messages, total: messages.length, hasMore, before, seq: 0 });
const conversation = (id = "s0") => app.state.conversations[id];
const inMemory = () => Object.keys(app.state.conversations).toSorted();

beforeEach(async () => {
  vi.useFakeTimers();
  newest = [user("u1", "one"), assistant("a1", [{ id: "b1", type: "text", text: "half" }])];
  const sessions = ids.map((id) => session(id));
  host = createFakeHost({
    "app.info": () => info(),
    "session.list": () => ({ sessions, total: sessions.length }),
    "permission.list": () => ({ requests: [] }),
    "layout.set": () => ({}),
    "session.history": () => page(structuredClone(newest), true, "u1"),
  });
  app = createApp(host, { schedule: (flush) => flush() });
  await vi.advanceTimersByTimeAsync(0);
  expect(app.state.loaded).toBe(true);
});

afterEach(() => {
  app.dispose();
  vi.useRealTimers();
});

async function open(...which: string[]): Promise<void> {
  for (const id of which) {
    app.actions.open(id);
    await vi.advanceTimersByTimeAsync(0);
  }
}

describe("memory", () => {
  it("is bounded, and what is on the page stays", async () => {
    await open("s0", "s1");
    app.layout.toggleSplit();
    await open(...ids.slice(2));
    expect(inMemory()).toHaveLength(maxConversations + 1);
    expect(app.layout.visible()).toEqual(["s0", "s8"]);
    expect(inMemory()).toContain("s0");
    expect(inMemory()).not.toContain("s2");
  });

  it("what left the page is forgotten after a while", async () => {
    await open("s0", "s1");
    await vi.advanceTimersByTimeAsync(keepFor * 1.3);
    expect(inMemory()).toEqual(["s1"]);
    await open("s0");
    expect(conversation()?.load).toBe("ready");
  });
});

describe("a conversation that another program writes", () => {
  const grow = async () => {
    app.actions.refresh("s0");
    app.actions.refresh("s0");
    await vi.advanceTimersByTimeAsync(refreshEvery);
  };

  it("is taken in by ids: what is known stays the same object", async () => {
    await open("s0");
    const calls = host.callsOf("session.history").length;
    const [first, block] = [conversation()?.messages["u1"], conversation()?.blocks["b1"]];
    newest = [user("u1", "one"), assistant("a1", [{ id: "b1", type: "text", text: "half and half" }]), user("u2", "two")];
    await grow();
    expect(host.callsOf("session.history")).toHaveLength(calls + 1);
    expect(conversation()?.order).toEqual(["u1", "a1", "u2"]);
    expect(conversation()?.messages["u1"]).toBe(first);
    expect(conversation()?.blocks["b1"]).toBe(block);
    expect(conversation()?.blocks["b1"]?.text).toBe("half and half");
  });

  it("keeps the older pages that were read", async () => {
    await open("s0");
    host.on("session.history", ({ before }) => (before ? page([user("u0", "zero")]) : page(structuredClone(newest), true, "u1")));
    await app.actions.loadOlder("s0");
    newest.push(user("u2", "two"));
    await grow();
    expect(conversation()?.order).toEqual(["u0", "u1", "a1", "u2"]);
    expect(conversation()?.hasMore).toBe(false);
  });

  it("starts again when more was added than a page holds", async () => {
    await open("s0");
    newest = [user("u8", "eight"), user("u9", "nine")];
    await grow();
    expect(conversation()?.order).toEqual(["u8", "u9"]);
    expect(conversation()?.hasMore).toBe(true);
  });

  it("leaves alone a session that continues here meanwhile", async () => {
    await open("s0");
    newest.push(user("u2", "two"));
    host.on("session.history", () => {
      host.emit({ event: "state", payload: { sessionId: "s0", seq: 1, at: 0, session: session("s0", { lastSeq: 1 }) } } as never);
      return page(structuredClone(newest));
    });
    await grow();
    expect(conversation()?.order).toEqual(["u1", "a1"]);
  });
});

describe("going to a message", () => {
  it("is over when the view is left, unless it still shows another part", async () => {
    await open("s0");
    await app.actions.jump("s0", { messageId: "u1" });
    expect(app.state.jumps["s0"]).toMatchObject({ messageId: "u1", page: null });
    app.actions.settleJump("s0");
    expect(app.state.jumps["s0"]).toBeUndefined();

    host.on("session.findMessage", () => page([user("far", "long ago")]));
    await app.actions.jump("s0", { messageId: "far" });
    app.actions.settleJump("s0");
    expect(app.state.jumps["s0"]?.page?.order).toEqual(["far"]);
  });

  it("far back shows the page that ends with it, and older ones from there", async () => {
    host.on("session.findMessage", () => page([user("u-9", "old"), user("u-8", "found")], true, "u-9"));
    await app.actions.jump("s0", { target: "t" });
    await vi.advanceTimersByTimeAsync(0);
    expect(host.callsOf("session.findMessage")).toEqual([{ sessionId: "s0", target: "t", limit: 60 }]);
    expect(app.state.jumps["s0"]).toMatchObject({ messageId: "u-8", busy: false, error: "" });
    host.on("session.history", ({ before }) => page([user("u-10", `before ${before}`)]));
    await app.actions.loadOlder("s0");
    expect(app.state.jumps["s0"]?.page?.order).toEqual(["u-10", "u-9", "u-8"]);
    expect(conversation()?.order).toEqual(["u1", "a1"]);
    app.actions.leaveJump("s0");
    expect(app.state.jumps).toEqual({});
  });

  it("to the start shows the first page, unless the user went elsewhere meanwhile", async () => {
    await open("s0");
    host.on("session.findMessage", () => page([user("first", "hello"), user("second", "and then")]));
    await app.actions.toStart("s0", () => false);
    expect(app.state.jumps).toEqual({});
    await app.actions.toStart("s0", () => true);
    expect(host.callsOf("session.findMessage").at(-1)).toEqual({ sessionId: "s0", first: true, limit: 60 });
    expect(app.state.jumps["s0"]?.page).toMatchObject({ order: ["first", "second"], hasMore: false });
    expect(conversation()?.order).toEqual(["u1", "a1"]);
    // It is loaded already.
    await app.actions.toStart("s0", () => true);
    expect(host.callsOf("session.findMessage")).toHaveLength(2);
  });

  it("in memory asks nobody", async () => {
    await open("s0");
    await app.actions.jump("s0", { target: "t", messageId: "a1" });
    expect(app.state.jumps["s0"]).toMatchObject({ messageId: "a1", page: null, busy: false });
    expect(host.callsOf("session.findMessage")).toEqual([]);
  });

  it("of a session that was not read yet reads its record first", async () => {
    host.on("session.get", ({ sessionId }) => session(sessionId, { title: "far down" }));
    host.on("session.findMessage", () => page([user("x", "found")]));
    await app.actions.jump("unlisted", { messageId: "x" });
    expect(app.state.current).toBe("unlisted");
    expect(app.state.sessions["unlisted"]?.title).toBe("far down");
  });

  it("the last of two wins, whichever comes back first", async () => {
    const answers: (() => void)[] = [];
    host.on("session.findMessage", ({ target }) => new Promise((resolve) => answers.push(() => resolve(page([user(target ?? "", "x")])))));
    const both = [app.actions.jump("s0", { target: "first" }), app.actions.jump("s0", { target: "second" })];
    await vi.advanceTimersByTimeAsync(0);
    answers[1]?.();
    await vi.advanceTimersByTimeAsync(0);
    answers[0]?.();
    await Promise.all(both);
    expect(app.state.jumps["s0"]?.messageId).toBe("second");
  });

  it("says why it failed", async () => {
    host.on("session.findMessage", () => {
      throw new HostError("conflict", "The file has changed since then.");
    });
    await app.actions.jump("s0", { target: "t" });
    expect(app.state.jumps["s0"]).toMatchObject({ busy: false, error: "The file has changed since then." });
  });

  it("ends when what is between is the same page again and again", async () => {
    await open("s0");
    host.on("session.findMessage", () => page([user("far", "long ago")], true, "far"));
    await app.actions.jump("s0", { messageId: "far" });
    const asked = host.callsOf("session.history").length;
    await app.actions.bridge("s0");
    expect(host.callsOf("session.history")).toHaveLength(asked + 1);
    expect(app.state.jumps["s0"]?.page?.order).toEqual(["far"]);
    expect(conversation()).toMatchObject({ order: ["u1", "a1"], hasMore: false, loadingOlder: false });
  });

  it("ends when two pages lead to each other", async () => {
    await open("s0");
    host.on("session.findMessage", () => page([user("far", "long ago")], true, "far"));
    host.on("session.history", ({ before }) => (before === "u1" ? page([user("u0", "before")], true, "u0") : page([user("u1", "one")], true, "u1")));
    await app.actions.jump("s0", { messageId: "far" });
    const asked = host.callsOf("session.history").length;
    await app.actions.bridge("s0");
    expect(host.callsOf("session.history")).toHaveLength(asked + 2);
    expect(conversation()).toMatchObject({ order: ["u0", "u1", "a1"], hasMore: false });
  });
});

describe("reading back", () => {
  it("ends with a page that brings nothing new", async () => {
    await open("s0");
    const asked = host.callsOf("session.history").length;
    for (let i = 0; i < 5; i++) await app.actions.loadOlder("s0");
    expect(host.callsOf("session.history")).toHaveLength(asked + 1);
    expect(conversation()).toMatchObject({ order: ["u1", "a1"], hasMore: false });
  });

  it("continues after a page in which nothing is for people", async () => {
    await open("s0");
    host.on("session.history", ({ before }) => (before === "u1" ? page([], true, "further") : page([user("u0", "the first")])));
    await app.actions.loadOlder("s0");
    await app.actions.loadOlder("s0");
    expect(conversation()).toMatchObject({ order: ["u0", "u1", "a1"], hasMore: false });
  });
});
