import { createComputed, createRoot } from "solid-js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { event } from "../../gallery/fixtures";
import type { SessionEvent } from "./border.gen";
import type { Host } from "./host";
import { createWailsHost } from "./wails";

let say: (batch: string) => void;
let host: Host;
let got: SessionEvent[];
let answers: Map<string, unknown>;
const bound = {
  Call: vi.fn<(pass: string, method: string, params: string) => Promise<string>>(),
  Pull: vi.fn<(pass: string, id: string) => Promise<string>>(),
  Open: vi.fn<(pass: string, url: string) => Promise<void>>(),
  Shown: vi.fn<(pass: string, shown: boolean) => Promise<void>>(),
  Paste: vi.fn<(pass: string) => Promise<string>>(),
  Dropped: vi.fn<(pass: string, number: number) => Promise<string>>(),
  Read: vi.fn<(pass: string, id: string) => Promise<string>>(),
  Accept: vi.fn<(pass: string, may: boolean) => Promise<void>>(),
  Lent: vi.fn<(pass: string) => Promise<string>>(),
  Lend: vi.fn<(pass: string, key: string, name: string, content: string) => Promise<void>>(),
};
const off = vi.fn();

let page: EventTarget & { visibilityState: string };
afterEach(() => vi.unstubAllGlobals());
beforeEach(() => {
  page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", page);
  bound.Call.mockReset();
  bound.Pull.mockReset();
  bound.Open.mockReset().mockResolvedValue(undefined);
  bound.Shown.mockReset().mockResolvedValue(undefined);
  bound.Lent.mockResolvedValue("");
  answers = new Map();
  host = createWailsHost(
    {
      go: { desktop: { Host: bound } },
      runtime: {
        EventsOn(name, callback) {
          expect(name).toBe("parley");
          say = callback;
          return off;
        },
      },
    },
    { pass: "p", answers },
  );
  got = [];
  host.onEvents((batch) => got.push(...batch));
});

const done = (seq: number) => event("done", "s", seq, { reason: "completed" });
const entry = (e: SessionEvent) => ({ event: `session.${e.event}`, payload: e.payload });
const batch = (...entries: unknown[]) => say(JSON.stringify(entries));
const numbers = () => got.map((e) => e.payload.seq);

describe("order", () => {
  it("sends a prompt and an interrupt one after the other, and nothing else waits", async () => {
    let finish!: (json: string) => void;
    bound.Call.mockReturnValueOnce(new Promise((resolve) => (finish = resolve))).mockResolvedValue("{}");
    const first = host.call("session.prompt", { sessionId: "s", text: "one" });
    const second = host.call("session.interrupt", { sessionId: "s" });
    await Promise.resolve();
    await host.call("app.info", {});
    expect(bound.Call.mock.calls.map((c) => c[1])).toEqual(["session.prompt", "app.info"]);
    finish('{"turnId":"t"}');
    await Promise.all([first, second]);
    expect(bound.Call.mock.calls.map((c) => c[1])).toEqual(["session.prompt", "app.info", "session.interrupt"]);
  });

  it("continues after one that failed", async () => {
    bound.Call.mockRejectedValueOnce(new Error("no")).mockResolvedValue("{}");
    const first = host.call("session.prompt", { sessionId: "s", text: "one" });
    const second = host.call("session.interrupt", { sessionId: "s" });
    await expect(first).rejects.toThrow("no");
    await expect(second).resolves.toEqual({});
  });
});

describe("events", () => {
  it("delivers a batch at once", () => {
    batch(entry(done(1)), entry(done(2)));
    expect(got).toEqual([done(1), done(2)]);
  });

  it("fetches large ones in their turn: nothing overtakes them", async () => {
    let open!: (json: string) => void;
    bound.Pull.mockReturnValueOnce(new Promise((resolve) => (open = resolve)));
    batch(entry(done(1)), { pull: "x" }, entry(done(3)));
    batch(entry(done(4)));
    expect(got).toEqual([]);
    open(JSON.stringify(entry(done(2))));
    await vi.waitFor(() => expect(numbers()).toEqual([1, 2, 3, 4]));
    expect(bound.Pull).toHaveBeenCalledExactlyOnceWith("p", "x");
    batch(entry(done(5)));
    expect(numbers()).toEqual([1, 2, 3, 4, 5]);
  });

  it("delivers what belongs to no session in its turn", () => {
    const order: string[] = [];
    host.onEvents((events) => order.push(...events.map((e) => `s${e.payload.seq}`)));
    host.onGlobal((event) => order.push(event.event));
    const global = { event: "sessions.changed", payload: { changed: [], removed: [] } };
    batch(entry(done(1)), entry(done(2)), global, entry(done(3)));
    expect(order).toEqual(["s1", "s2", "sessions.changed", "s3"]);
  });

  it("says that the link was lost when events were dropped", () => {
    const kinds: string[] = [];
    createRoot((dispose) => {
      createComputed(() => kinds.push(host.status().kind));
      batch({ lagged: true }, entry(done(9)));
      dispose();
    });
    expect(kinds).toEqual(["open", "connecting", "open"]);
    expect(numbers()).toEqual([9]);
  });

  it("continues without one that is no longer kept", async () => {
    bound.Pull.mockRejectedValue(new Error(JSON.stringify({ code: "not_found", message: "gone" })));
    batch({ pull: "x" }, entry(done(2)));
    await vi.waitFor(() => expect(numbers()).toEqual([2]));
  });
});

describe("calls", () => {
  it("sends and reads JSON", async () => {
    bound.Call.mockResolvedValue('{"turnId":"t"}');
    await expect(host.call("session.prompt", { sessionId: "s", text: "hi" })).resolves.toEqual({ turnId: "t" });
    expect(bound.Call).toHaveBeenCalledWith("p", "session.prompt", '{"sessionId":"s","text":"hi"}');
  });

  it.each([
    [new Error('{"code":"conflict","message":"It is open already."}'), "conflict", "It is open already."],
    [new Error("something else"), "internal", "something else"],
    ['{"code":1}', "internal", '{"code":1}'],
  ])("rejects %s as a HostError", async (failure, code, message) => {
    bound.Call.mockRejectedValue(failure);
    await expect(host.call("app.info", {})).rejects.toMatchObject({ name: "HostError", code, message });
  });
});

it("opens only links that cannot start a program", () => {
  host.openExternal("mailto:a@example.org");
  host.openExternal("file:///etc/passwd");
  expect(bound.Open.mock.calls).toEqual([["p", "mailto:a@example.org"]]);
});

it("says whether the page is shown, one after the other", async () => {
  let finish!: () => void;
  bound.Shown.mockReturnValueOnce(new Promise((resolve) => (finish = resolve)));
  for (const state of ["hidden", "visible", "hidden"]) {
    page.visibilityState = state;
    page.dispatchEvent(new Event("visibilitychange"));
  }
  await vi.waitFor(() => expect(bound.Shown).toHaveBeenCalledTimes(2));
  finish();
  await vi.waitFor(() => expect(bound.Shown).toHaveBeenCalledTimes(4));
  expect(bound.Shown.mock.calls.at(-1)).toEqual(["p", false]);
  host.close();
  page.dispatchEvent(new Event("visibilitychange"));
  await Promise.resolve();
  expect(bound.Shown).toHaveBeenCalledTimes(4);
});

describe("the window's menus", () => {
  const bridge = (webkit?: { messageHandlers: { parleyMenus: { postMessage(message: string): void } } }) => ({
    go: { desktop: { Host: bound } },
    runtime: { EventsOn: vi.fn<(name: string, callback: (batch: string) => void) => () => void>(() => off) },
    ...(webkit ? { webkit } : {}),
  });

  it("are there where the program listens", () => {
    const postMessage = vi.fn<(message: string) => void>();
    const from = bridge({ messageHandlers: { parleyMenus: { postMessage } } });
    const { menus } = createWailsHost(from, { pass: "p", answers });
    menus?.say({ context: [{ id: "copy", label: "_Copy", enabled: true }] });
    expect(postMessage).toHaveBeenCalledExactlyOnceWith('{"context":[{"id":"copy","label":"_Copy","enabled":true}]}');
    const listener = vi.fn<(id: string) => void>();
    menus?.onChosen(listener);
    expect(from.runtime.EventsOn).toHaveBeenLastCalledWith("parley.menu", listener);
  });

  it("are not elsewhere", () => {
    expect(createWailsHost(bridge(), { pass: "p", answers }).menus).toBeUndefined();
  });
});

it("stops listening when it is closed", () => {
  host.close();
  expect(off).toHaveBeenCalled();
});

describe("what was handed over", () => {
  const list = { workspaces: [] };
  beforeEach(() => {
    answers.set("workspace.list {}", list);
    bound.Call.mockResolvedValue('{"workspaces":["asked"]}');
  });

  it("answers the first call, and no other", async () => {
    expect(await host.call("workspace.list", {})).toBe(list);
    expect(bound.Call).not.toHaveBeenCalled();
    expect(await host.call("workspace.list", {})).toEqual({ workspaces: ["asked"] });
    expect(bound.Call).toHaveBeenCalledExactlyOnceWith("p", "workspace.list", "{}");
  });

  it("is no longer true after news", async () => {
    batch(entry(done(1)));
    expect(await host.call("workspace.list", {})).toEqual({ workspaces: ["asked"] });
  });

  it("is not for other parameters", async () => {
    answers.set('session.list {"limit":200}', { sessions: [], total: 0 });
    await host.call("session.list", { limit: 100 });
    expect(bound.Call).toHaveBeenCalledOnce();
  });
});
