import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assistant, event, info, question, session, user } from "../../gallery/fixtures";
import type { Session } from "../host/border.gen";
import { createFakeHost, type FakeHost } from "../host/fake";
import { HostError } from "../host/host";
import { createApp } from "./create";
import { emptyDraft } from "./state";

let host: FakeHost;
let sessions: Session[];
let app: ReturnType<typeof createApp>;
let ids: number;

beforeEach(() => {
  ids = 0;
  sessions = ["s1", "s2", "s3", "s4", "s5"].map((id) => session(id));
  host = createFakeHost({
    "app.info": () => info({ settings: { ...info().settings, theme: "dark" } }),
    "session.list": () => ({ sessions, total: sessions.length }),
    "permission.list": () => ({ requests: [question("s2", "q")] }),
    "session.history": ({ sessionId }) => ({ messages: [user(`u-${sessionId}`, "hi")], total: 1, hasMore: false, before: "", seq: 0 }),
    "session.prompt": () => ({ turnId: "t" }),
  });
});

afterEach(() => app.dispose());

async function start(): Promise<void> {
  app = createApp(host, { schedule: (flush) => flush(), newId: () => `p${++ids}` });
  await vi.waitFor(() => expect(app.state.loaded).toBe(true));
}

describe("starting", () => {
  it("reads what is shown before the first event", async () => {
    await start();
    expect(Object.keys(app.state.sessions)).toHaveLength(5);
    expect(Object.keys(app.state.questions)).toEqual(["q"]);
    expect(app.state.theme).toBe("dark");
    expect(app.state.current).toBeNull();
  });

  it("shows a failure and keeps the page", async () => {
    host.on("session.list", () => {
      throw new HostError("internal", "Something went wrong inside Parley.");
    });
    app = createApp(host);
    await vi.waitFor(() => expect(app.state.problem?.message).toBe("Something went wrong inside Parley."));
    app.actions.dismissProblem();
    expect(app.state.problem).toBeNull();
  });

  it("keeps the tabs of places, which are no sessions", async () => {
    host.on("layout.get", () => ({ window: "main", layout: { panes: [{ tabs: ["s1", "place:usage"], active: "place:usage" }] }, updatedAt: 0 }));
    host.on("session.get", () => {
      throw new HostError("not_found", "There is no such session.");
    });
    await start();
    expect(app.layout.active()).toBe("place:usage");
  });

  it("waits for the link", async () => {
    host.setStatus({ kind: "connecting" });
    app = createApp(host);
    await Promise.resolve();
    expect(host.calls).toEqual([]);
    host.setStatus({ kind: "open" });
    await vi.waitFor(() => expect(app.state.loaded).toBe(true));
  });

  it("catches up after the link was down: the open session is read again, the others are forgotten", async () => {
    await start();
    app.actions.open("s2");
    app.actions.open("s1");
    await vi.waitFor(() => expect(app.state.conversations["s1"]?.load).toBe("ready"));
    host.setStatus({ kind: "closed", reason: "", retryAt: null });
    sessions = [session("s1", { lastSeq: 40, title: "went on" })];
    host.on("session.history", () => ({ messages: [user("u9", "later")], total: 9, hasMore: true, before: "u9", seq: 40 }));
    host.setStatus({ kind: "open" });
    await vi.waitFor(() => expect(app.state.conversations["s1"]?.order).toEqual(["u9"]));
    expect(app.state.sessions).toEqual({ s1: sessions[0] });
    expect(app.state.current).toBe("s1");
    expect(Object.keys(app.state.conversations)).toEqual(["s1"]);
    host.emit(event("text_delta", "s1", 41, { messageId: "a", blockId: "b", text: "on" }));
    expect(app.state.conversations["s1"]?.blocks["b"]?.text).toBe("on");
  });

  it("goes to the start page when the open session is gone", async () => {
    await start();
    app.actions.open("s1");
    host.setStatus({ kind: "closed", reason: "", retryAt: null });
    sessions = [];
    host.setStatus({ kind: "open" });
    await vi.waitFor(() => expect(app.state.current).toBeNull());
  });
});

describe("sessions", () => {
  it("keeps the messages of the six last looked at", async () => {
    const ids = ["s1", "s2", "s3", "s4", "s5", "s6", "s7"];
    sessions = ids.map((id) => session(id));
    await start();
    for (const id of ids) {
      app.actions.open(id);
      await vi.waitFor(() => expect(app.state.conversations[id]?.load).toBe("ready"));
    }
    expect(Object.keys(app.state.conversations).toSorted()).toEqual(ids.slice(1));
    const before = host.callsOf("session.history").length;
    app.actions.open("s4");
    expect(host.callsOf("session.history")).toHaveLength(before);
  });

  it("opens a new one and remembers its folder", async () => {
    host.on("session.create", ({ cwd }) => session("new", { cwd }));
    await start();
    await app.actions.create("/home/ada/notes");
    expect(app.state.current).toBe("new");
    expect(app.state.info?.recentFolders[0]).toBe("/home/ada/notes");
    expect(app.state.info?.recentFolders).toHaveLength(3);
  });

  it("reads older pages in front, once at a time", async () => {
    await start();
    const newest = { messages: [user("u2", "2"), assistant("a2", [])], total: 4, hasMore: true, before: "u2", seq: 3 };
    host.on("session.history", ({ before }) =>
      before === "u2"
        ? { messages: [user("u1", "1"), assistant("a1", []), user("u2", "again")], total: 4, hasMore: false, before: "", seq: 3 }
        : newest,
    );
    app.actions.open("s1");
    await vi.waitFor(() => expect(app.state.conversations["s1"]?.load).toBe("ready"));
    const calls = host.callsOf("session.history").length;
    await Promise.all([app.actions.loadOlder("s1"), app.actions.loadOlder("s1")]);
    expect(host.callsOf("session.history")).toHaveLength(calls + 1);
    const c = app.state.conversations["s1"];
    expect(c?.order).toEqual(["u1", "a1", "u2", "a2"]);
    expect(c?.blocks["u2:0"]?.text).toBe("2");
    expect(c).toMatchObject({ hasMore: false, loadingOlder: false });
    await app.actions.loadOlder("s1");
    expect(host.callsOf("session.history")).toHaveLength(calls + 1);
  });
});

describe("sending", () => {
  it("sends the draft with an id of its own and clears it", async () => {
    await start();
    app.actions.setDraftText("s1", "hello");
    await app.actions.send("s1");
    expect(host.callsOf("session.prompt")).toEqual([{ sessionId: "s1", text: "hello", promptId: "p1", attachments: [] }]);
    expect(app.state.drafts["s1"]).toEqual(emptyDraft());
  });

  it("sends once however often it is asked to", async () => {
    await start();
    app.actions.setDraftText("s1", "hello");
    await Promise.all([app.actions.send("s1"), app.actions.send("s1"), app.actions.send("s1")]);
    expect(host.callsOf("session.prompt")).toHaveLength(1);
  });

  it("keeps the text when it fails, and repeats it under the same id", async () => {
    await start();
    host.on("session.prompt", () => {
      throw new HostError("offline", "Lost connection to Parley.");
    });
    app.actions.setDraftText("s1", "hello");
    await app.actions.send("s1");
    expect(app.state.drafts["s1"]).toMatchObject({ text: "hello", sending: false, error: "Lost connection to Parley." });
    host.on("session.prompt", () => ({ turnId: "t" }));
    await app.actions.send("s1");
    app.actions.setDraftText("s1", "other");
    await app.actions.send("s1");
    expect(host.callsOf("session.prompt").map((p) => [p.text, p.promptId])).toEqual([
      ["hello", "p1"],
      ["hello", "p1"],
      ["other", "p2"],
    ]);
  });

  it("takes a changed text for another prompt", async () => {
    await start();
    host.on("session.prompt", () => {
      throw new HostError("busy", "The queue is full.");
    });
    app.actions.setDraftText("s1", "hello");
    await app.actions.send("s1");
    app.actions.setDraftText("s1", "hello there");
    await app.actions.send("s1");
    expect(host.callsOf("session.prompt").map((p) => p.promptId)).toEqual(["p1", "p2"]);
  });

  it("keeps what is typed while it is on its way", async () => {
    await start();
    let answer!: () => void;
    host.on("session.prompt", () => new Promise((resolve) => (answer = () => resolve({ turnId: "t" }))));
    app.actions.setDraftText("s1", "hello");
    const sent = app.actions.send("s1");
    app.actions.setDraftText("s1", "hello and more");
    answer();
    await sent;
    expect(app.state.drafts["s1"]).toMatchObject({ text: " and more", sending: false, promptId: "" });
  });

  it("never sends an empty text", async () => {
    await start();
    app.actions.setDraftText("s1", " \n");
    await app.actions.send("s1");
    const image = { id: "i", name: "a.png", mediaType: "image/png", bytes: 3, data: "AAAA" };
    app.actions.addAttachments("s1", [image], "");
    await app.actions.send("s1");
    expect(host.callsOf("session.prompt")).toEqual([]);
    expect(app.state.drafts["s1"]?.error).toBe("Describe what to do with the attachments.");
    app.actions.setDraftText("s1", "describe");
    await app.actions.send("s1");
    expect(host.callsOf("session.prompt")[0]?.attachments).toEqual([{ name: "a.png", mediaType: "image/png", data: "AAAA" }]);
    expect(app.state.drafts["s1"]?.attachments).toEqual([]);
  });

  it("shows a failed action", async () => {
    await start();
    host.on("session.interrupt", () => {
      throw new HostError("conflict", "Nothing runs.");
    });
    await app.actions.interrupt("s1");
    expect(app.state.problem).toEqual({ code: "conflict", message: "Nothing runs." });
  });
});
