import { createStore } from "solid-js/store";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { event, question, session, user } from "../../gallery/fixtures";
import type { History, Session, SessionList } from "../host/border.gen";
import { createFakeHost, type FakeHost } from "../host/fake";
import { HostError } from "../host/host";
import type { Store } from "./records";
import { createIntake, type Intake } from "./intake";
import { createListing } from "./listing";
import { initialState } from "./state";

let store: Store;
let host: FakeHost;
let intake: Intake;
let frames: (() => void)[];

beforeEach(() => {
  const [state, set] = createStore(initialState());
  store = { state, set, listing: createListing() };
  host = createFakeHost({ "permission.list": () => ({ requests: [] }) });
  frames = [];
  intake = createIntake(store, host, (flush) => frames.push(flush));
});

const frame = () => frames.splice(0).forEach((f) => f());
const delta = (seq: number, text = `${seq} `) => event("text_delta", "s", seq, { messageId: "a", blockId: "b", text });
const text = () => store.state.conversations["s"]?.blocks["b"]?.text;
const page = (seq: number, blockText?: string): History => ({
  messages: blockText === undefined ? [] : [{ id: "a", role: "assistant", at: 1, blocks: [{ id: "b", type: "text", text: blockText, open: true }] }],
  total: 1,
  hasMore: false,
  before: "",
  seq,
});

/** A promise that the test settles. */
function gate<T>() {
  let open!: (value: T) => void;
  let fail!: (error: unknown) => void;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

async function start(lastSeq = 0, history: History = page(lastSeq)): Promise<void> {
  host.on("session.history", () => history);
  intake.resume([session("s", { lastSeq })], []);
  await intake.load("s");
}

describe("frames", () => {
  it("applies everything that came with one frame at once", async () => {
    await start();
    intake.push([delta(1)]);
    intake.push([delta(2), delta(3)]);
    expect(frames).toHaveLength(1);
    expect(text()).toBeUndefined();
    frame();
    expect(text()).toBe("1 2 3 ");
    intake.push([delta(4)]);
    expect(frames).toHaveLength(1);
  });

  it("takes much that comes at once over several frames, in its order, and records after it", async () => {
    await start();
    intake.push([1, 2, 3].map((seq) => delta(seq, `${seq}`.repeat(3000))));
    intake.pushChange({ changed: [session("s", { lastSeq: 3, title: "later" })], removed: [] });
    const lengths: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      expect(frames).toHaveLength(1);
      frame();
      lengths.push(text()?.length);
    }
    expect(lengths).toEqual([3000, 6000, 9000]);
    expect(text()).toBe(["1", "2", "3"].map((one) => one.repeat(3000)).join(""));
    expect(store.state.sessions["s"]?.title).toBe("later");
    expect(frames).toEqual([]);
  });

  it.each([
    { waits: 600, takes: 600 },
    { waits: 2000, takes: 700 },
    { waits: 6000, takes: 1500 },
    { waits: 40_000, takes: 2500 },
  ])("takes $takes of $waits characters with one frame", async ({ waits, takes }) => {
    await start();
    intake.push(Array.from({ length: waits / 100 }, (_, i) => delta(i + 1, "x".repeat(100))));
    frame();
    expect(text()).toHaveLength(takes);
  });

  it("takes all of it at once when nobody waits for a frame", async () => {
    intake = createIntake(store, host, (flush) => flush());
    await start();
    intake.push([1, 2, 3].map((seq) => delta(seq, "x".repeat(3000))));
    expect(text()).toHaveLength(9000);
  });

  it("flushes at once while the page is hidden", async () => {
    intake = createIntake(store, host);
    await start();
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    intake.push([delta(1)]);
    expect(text()).toBe("1 ");
  });

  it("flushes what waits for a frame when the page becomes hidden", async () => {
    intake = createIntake(store, host);
    await start();
    vi.spyOn(window, "requestAnimationFrame").mockReturnValue(1);
    intake.push([delta(1)]);
    expect(text()).toBeUndefined();
    document.dispatchEvent(new Event("visibilitychange"));
    expect(text()).toBe("1 ");
  });

  it("holds everything while the list of sessions is being read", async () => {
    await start();
    intake.pause();
    intake.push([delta(1)]);
    frame();
    expect(text()).toBeUndefined();
    intake.resume([session("s")], []);
    frame();
    expect(text()).toBe("1 ");
  });
});

describe("numbers", () => {
  it("ignores what it has already", async () => {
    await start();
    intake.push([delta(1), delta(1), delta(2), delta(1)]);
    frame();
    expect(text()).toBe("1 2 ");
  });

  it("ignores events that the page of history holds already", async () => {
    await start(0, page(2, "1 2 "));
    intake.push([delta(1), delta(2), delta(3)]);
    frame();
    expect(text()).toBe("1 2 3 ");
  });

  it("still takes the record's part of events that the page holds", async () => {
    await start(0, page(1));
    const { sessionId: _, ...q } = question("s", "q");
    intake.push([event("permission_request", "s", 1, q)]);
    frame();
    expect(Object.keys(store.state.questions)).toEqual(["q"]);
  });

  it("keeps events that come while the page is being read", async () => {
    const history = gate<History>();
    intake.resume([session("s")], []);
    host.on("session.history", () => history.promise);
    const loaded = intake.load("s");
    intake.push([delta(1), delta(2), delta(3)]);
    frame();
    history.open(page(2, "1 2 "));
    await loaded;
    expect(text()).toBe("1 2 3 ");
  });
});

describe("a hole", () => {
  it("reads the session again; what comes meanwhile waits", async () => {
    await start();
    const record = gate<Session>();
    host.on("session.get", () => record.promise);
    host.on("session.history", () => page(5, "1 2 3 4 5 "));
    intake.push([delta(1), delta(4), delta(5)]);
    frame();
    intake.push([delta(6)]);
    frame();
    expect(text()).toBe("1 ");
    record.open(session("s", { lastSeq: 5, title: "renewed" }));
    await vi.waitFor(() => expect(text()).toBe("1 2 3 4 5 6 "));
    expect(store.state.sessions["s"]?.title).toBe("renewed");
    expect(host.callsOf("session.get")).toHaveLength(1);
  });

  it("tells those who follow that events were missed, and of what came meanwhile", async () => {
    await start();
    const heard: string[] = [];
    const stop = intake.follow({
      // The state already reflects the reported events.
      applied: (events) => heard.push(...events.map(({ payload }) => `${payload.seq}: ${text() ?? ""}`)),
      missed: (id) => heard.push(`missed of ${id}`),
    });
    const record = gate<Session>();
    host.on("session.get", () => record.promise);
    host.on("session.history", () => page(5, "1 2 3 4 5 "));
    intake.push([delta(1), delta(4), delta(5)]);
    expect(heard).toEqual([]);
    frame();
    intake.push([delta(6)]);
    frame();
    expect(heard).toEqual(["1: 1 "]);
    record.open(session("s", { lastSeq: 5 }));
    await vi.waitFor(() => expect(heard).toEqual(["1: 1 ", "6: 1 2 3 4 5 6 ", "missed of s"]));
    stop();
    intake.push([delta(7)]);
    frame();
    expect(heard).toHaveLength(3);
  });

  it("renews the open questions of that session only", async () => {
    await start();
    store.set("questions", { gone: question("s", "gone"), other: question("o", "other") });
    host.on("session.get", () => session("s", { lastSeq: 9 }));
    host.on("permission.list", () => ({ requests: [question("s", "fresh")] }));
    intake.push([delta(9)]);
    frame();
    await vi.waitFor(() => expect(Object.keys(store.state.questions).toSorted()).toEqual(["fresh", "other"]));
  });

  it("does not read messages that nobody looks at", async () => {
    intake.resume([session("s")], []);
    host.on("session.get", () => session("s", { lastSeq: 9, title: "renewed" }));
    intake.push([delta(9)]);
    frame();
    await vi.waitFor(() => expect(store.state.sessions["s"]?.title).toBe("renewed"));
    expect(host.callsOf("session.history")).toHaveLength(0);
  });

  it("reads a session that it hears of for the first time in the middle", async () => {
    intake.resume([], []);
    host.on("session.get", ({ sessionId }) => session(sessionId, { lastSeq: 7 }));
    intake.push([event("text_delta", "new", 7, { messageId: "a", blockId: "b", text: "x" })]);
    frame();
    await vi.waitFor(() => expect(store.state.sessions["new"]).toBeDefined());
  });

  it("asks for a page again when the hole was found while one was being read", async () => {
    const stale = gate<History>();
    intake.resume([session("s")], []);
    host.on("session.history", () => stale.promise);
    const loaded = intake.load("s");
    host.on("session.get", () => session("s", { lastSeq: 5 }));
    intake.push([delta(1), delta(5)]);
    host.on("session.history", () => page(5, "1 2 3 4 5 "));
    frame();
    await vi.waitFor(() => expect(text()).toBe("1 2 3 4 5 "));
    stale.open(page(0));
    await loaded;
    intake.push([delta(6)]);
    frame();
    expect(text()).toBe("1 2 3 4 5 6 ");
  });

  it("forgets a session that is gone", async () => {
    await start();
    host.on("session.get", () => {
      throw new HostError("not_found", "gone");
    });
    intake.push([delta(5)]);
    frame();
    await vi.waitFor(() => expect(store.state.sessions["s"]).toBeUndefined());
    expect(store.state.conversations["s"]).toBeUndefined();
  });

  it("tries again later when the session cannot be read", async () => {
    vi.useFakeTimers();
    try {
      await start();
      host.on("session.get", () => {
        throw new HostError("unavailable", "not now");
      });
      intake.push([delta(5)]);
      frame();
      await vi.advanceTimersByTimeAsync(10);
      intake.push([delta(6)]);
      frame();
      expect(host.callsOf("session.get")).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1000);
      host.on("session.get", () => session("s", { lastSeq: 7 }));
      host.on("session.history", () => page(7, "all"));
      intake.push([delta(7)]);
      frame();
      await vi.advanceTimersByTimeAsync(0);
      expect(text()).toBe("all");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("pages", () => {
  it("says why a page could not be read", async () => {
    intake.resume([session("s")], []);
    host.on("session.history", () => {
      throw new HostError("unavailable", "The history cannot be read now.");
    });
    await intake.load("s");
    expect(store.state.conversations["s"]).toMatchObject({ load: "failed", error: "The history cannot be read now." });
  });

  it("takes nothing in after a session was unloaded", async () => {
    await start();
    intake.unload("s");
    intake.push([delta(1)]);
    frame();
    expect(store.state.conversations["s"]).toBeUndefined();
  });

  it("does not put an older record over a newer one", () => {
    intake.resume([session("s", { lastSeq: 4, title: "new" })], []);
    intake.learn(session("s", { lastSeq: 2, title: "old" }));
    expect(store.state.sessions["s"]?.title).toBe("new");
    intake.learn(session("t", { lastSeq: 0 }));
    expect(store.state.sessions["t"]).toBeDefined();
  });

  it("shows the page's messages", async () => {
    await start(1, { ...page(1), messages: [user("u", "hello")] });
    expect(store.state.conversations["s"]).toMatchObject({ load: "ready", order: ["u"] });
  });
});

describe("what changes about sessions that do not run", () => {
  const record = () => store.state.sessions["s"];
  const ids = () => store.listing.of("list").map((entry) => entry.id);

  it("comes with the next frame: new ones, changed ones, and those that are gone", async () => {
    await start(3);
    intake.pushChange({ changed: [session("s", { lastSeq: 3, title: "renamed" }), session("t")], removed: [] });
    expect(record()?.title).toBe("");
    frame();
    expect(record()?.title).toBe("renamed");
    expect(ids().toSorted()).toEqual(["s", "t"]);
    intake.pushChange({ changed: [], removed: ["s", "unknown"] });
    frame();
    expect(record()).toBeUndefined();
    expect(store.state.conversations["s"]).toBeUndefined();
    expect(ids()).toEqual(["t"]);
  });

  it("takes only its place in the list from a record that is older than what events said", async () => {
    await start(0);
    intake.push([event("state", "s", 1, { session: session("s", { lastSeq: 1, title: "now", state: "running" }) })]);
    intake.pushChange({ changed: [session("s", { lastSeq: 0, title: "before", pinned: true, workspaceId: "w" })], removed: [] });
    frame();
    expect(record()).toMatchObject({ title: "now", state: "running", pinned: true, workspaceId: "w", lastSeq: 1 });
    intake.push([delta(2)]);
    frame();
    expect(text()).toBe("2 ");
  });

  it("is not undone by a page of records that was asked for before", async () => {
    await start();
    const list = gate<SessionList>();
    const read = intake.learnPage(list.promise);
    intake.pushChange({ changed: [session("t", { title: "new" })], removed: ["u"] });
    frame();
    list.open({ sessions: [session("t", { title: "old" }), session("u"), session("v")], total: 3 });
    await read;
    expect(store.state.sessions["t"]?.title).toBe("new");
    expect(ids().toSorted()).toEqual(["s", "t", "v"]);
  });

  it("waits while the list is being read", async () => {
    await start();
    intake.pause();
    intake.pushChange({ changed: [session("t")], removed: [] });
    frame();
    expect(ids()).toEqual(["s"]);
    intake.resume([session("s")], []);
    frame();
    expect(ids().toSorted()).toEqual(["s", "t"]);
  });
});
