import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { event } from "../../gallery/fixtures";
import { type GlobalEvent, globalEventNames, type SessionEvent } from "./border.gen";
import { type Host, HostError } from "./host";
import { createSocketHost, type SocketOptions } from "./socket";

class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: { id: string; method: string; params: unknown }[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((close: { code?: number; reason: string }) => void) | null = null;

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    if (protocols.some((p) => /[\s,]/.test(p))) throw new DOMException("bad protocol", "SyntaxError");
    FakeSocket.all.push(this);
  }
  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }
  close(): void {
    this.drop();
  }
  accept(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  drop(reason = "", code?: number): void {
    this.readyState = 3;
    this.onclose?.({ reason, ...(code ? { code } : {}) });
  }
  say(frame: unknown): void {
    this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }
  answer(method: string, payload: unknown): void {
    const request = this.sent.findLast((r) => r.method === method);
    this.say({ type: "res", id: request?.id, ok: true, payload });
  }
}

let host: Host;
let refused: ReturnType<typeof vi.fn<(token: string) => Promise<boolean>>>;
const socket = () => FakeSocket.all.at(-1)!;
const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

/** A key with several credentials, used in order. */
function keyOf(...ways: string[]) {
  return {
    ways,
    trade: (): Promise<boolean> | null => null,
    current: () => ways[0] ?? null,
    accepted: (way: string) => ways.splice(0, ways.length, way),
    refused: (way: string) => ways.splice(ways.indexOf(way), 1),
  };
}

function make(change: Partial<SocketOptions> = {}): Host {
  host = createSocketHost({
    base: "http://127.0.0.1:8787/",
    key: keyOf("proof.secret"),
    WebSocket: FakeSocket as unknown as typeof WebSocket,
    refused,
    random: () => 1,
    ...change,
  });
  return host;
}

async function open(): Promise<void> {
  socket().accept();
  socket().answer("subscribe", { events: ["session.*", ...globalEventNames] });
  await tick();
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  refused = vi.fn(async () => false);
});

afterEach(() => {
  host?.close();
  vi.useRealTimers();
});

describe("connecting", () => {
  it("carries what lets it in in the subprotocols, not in the address", () => {
    make();
    expect(socket().url).toBe("ws://127.0.0.1:8787/ws");
    expect(socket().protocols).toEqual(["parley.v1", "proof.secret"]);
    expect(host.status()).toEqual({ kind: "connecting" });
  });

  it("is open when it has subscribed", async () => {
    make();
    socket().accept();
    expect(socket().sent).toMatchObject([{ method: "subscribe", params: { events: ["session.*", ...globalEventNames] } }]);
    expect(host.status().kind).toBe("connecting");
    socket().answer("subscribe", { events: ["session.*", ...globalEventNames] });
    await tick();
    expect(host.status().kind).toBe("open");
  });

  it("does not connect without a token", () => {
    make({ key: keyOf() });
    expect(FakeSocket.all).toHaveLength(0);
    expect(host.status()).toEqual({ kind: "unauthorized" });
  });

  it("says so when the token is refused, and stops trying", async () => {
    refused.mockResolvedValue(true);
    make();
    socket().drop();
    await tick(60_000);
    expect(host.status()).toEqual({ kind: "unauthorized" });
    expect(FakeSocket.all).toHaveLength(1);
  });

  it("forgets what is refused, and continues with what was let in before", async () => {
    const key = keyOf("proof.wrong", "token.secret");
    refused.mockImplementation(async (way) => way === "proof.wrong");
    make({ key });
    socket().drop();
    await tick();
    expect(socket().protocols[1]).toBe("token.secret");
    await open();
    expect(host.status().kind).toBe("open");
    expect(key.ways).toEqual(["token.secret"]);
  });

  it("keeps what was not refused while nobody answers", async () => {
    const key = keyOf("proof.secret");
    make({ key });
    socket().drop();
    await tick();
    expect(host.status().kind).toBe("closed");
    expect(key.ways).toEqual(["proof.secret"]);
  });

  it("asks for nothing but the protocol where the cookie is enough", () => {
    make({ key: keyOf("") });
    expect(socket().protocols).toEqual(["parley.v1"]);
  });

  it("trades before it connects, once at a time, and again while nobody answers", async () => {
    const answers: ((reached: boolean) => void)[] = [];
    const key = { ...keyOf("proof.secret"), trade: vi.fn((): Promise<boolean> | null => new Promise((resolve) => answers.push(resolve))) };
    make({ key });
    host.reconnect();
    expect(key.trade).toHaveBeenCalledTimes(1);
    expect(host.status().kind).toBe("connecting");
    answers[0]?.(false);
    await tick();
    expect(host.status().kind).toBe("closed");
    await tick(500);
    expect(key.trade).toHaveBeenCalledTimes(2);
    key.trade.mockReturnValue(null);
    answers[1]?.(true);
    await tick();
    expect(FakeSocket.all).toHaveLength(1);
  });

  it.each([
    ["proof.a.b", { "Parley-Proof": "a.b" }],
    ["token.a.b", { Authorization: "Bearer a.b" }],
    ["", {}],
  ])("asks whether %s is refused", async (way, headers) => {
    const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(null, { status: 401 }));
    make({ key: keyOf(way), refused: undefined });
    socket().drop();
    await tick();
    expect(asked.mock.calls[0]?.[1]?.headers).toEqual(headers);
    expect(host.status().kind).toBe("unauthorized");
  });

  it("takes a token that no header can carry for a refused one", () => {
    make({ key: keyOf("token.not a token") });
    expect(host.status()).toEqual({ kind: "unauthorized" });
  });
});

describe("reconnecting", () => {
  it("waits twice as long each time, at most 30 s", async () => {
    make();
    const delays: number[] = [];
    for (let i = 0; i < 9; i++) {
      socket().drop();
      await tick();
      const status = host.status();
      if (status.kind !== "closed") throw new Error(status.kind);
      delays.push((status.retryAt ?? 0) - Date.now());
      await tick(delays.at(-1));
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(FakeSocket.all).toHaveLength(10);
  });

  it("does not let all pages come back at the same moment", async () => {
    make({ random: () => 0 });
    socket().drop();
    await tick();
    expect(host.status()).toMatchObject({ kind: "closed", retryAt: Date.now() + 250 });
  });

  it("starts over after a connection that worked, and subscribes again", async () => {
    make();
    socket().drop();
    await tick(500);
    await open();
    socket().drop("going down");
    await tick();
    expect(host.status()).toEqual({ kind: "closed", reason: "going down", retryAt: Date.now() + 500 });
    await tick(500);
    await open();
    expect(host.status().kind).toBe("open");
    // A token that was accepted once is not checked again.
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it("says nothing for three seconds of a program that restarts, and looks for it", async () => {
    make();
    await open();
    socket().drop("Parley restarts", 1012);
    await tick();
    expect(host.status().kind).toBe("connecting");
    for (let passed = 0; passed < 2800; passed += 200) {
      await tick(200);
      socket().drop();
      await tick();
      expect(host.status().kind).toBe("connecting");
    }
    await tick(200);
    socket().drop();
    await tick();
    expect(host.status().kind).toBe("closed");
    await tick(500);
    await open();
    expect(host.status().kind).toBe("open");
    // A later loss is reported.
    socket().drop();
    await tick();
    expect(host.status().kind).toBe("closed");
  });

  it("can be asked to try at once", async () => {
    make();
    socket().drop();
    await tick();
    host.reconnect();
    expect(FakeSocket.all).toHaveLength(2);
    await tick(5000);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it("stops for good when it is closed", async () => {
    make();
    await open();
    host.close();
    await tick(60_000);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it("gives up a socket that gives no sign of life after the machine slept", async () => {
    make();
    await open();
    const old = socket();
    window.dispatchEvent(new Event("online"));
    await tick(10_000);
    expect(FakeSocket.all).toHaveLength(2);
    old.say({ type: "event", event: "session.done", payload: {} });
    await open();
    window.dispatchEvent(new Event("online"));
    socket().answer("settings.get", {});
    await tick(10_000);
    expect(FakeSocket.all).toHaveLength(2);
  });
});

describe("calls", () => {
  it("matches answers to requests in any order", async () => {
    make();
    await open();
    const info = host.call("app.info", {});
    const list = host.call("session.list", { limit: 3 });
    const [a, b] = socket().sent.slice(-2);
    expect(b).toMatchObject({ method: "session.list", params: { limit: 3 } });
    socket().say({ type: "res", id: b?.id, ok: true, payload: { sessions: [], total: 0 } });
    socket().say({ type: "res", id: a?.id, ok: true, payload: { version: "1" } });
    await expect(info).resolves.toMatchObject({ version: "1" });
    await expect(list).resolves.toEqual({ sessions: [], total: 0 });
  });

  it("rejects with the program's code and sentence", async () => {
    make();
    await open();
    const call = host.call("session.get", { sessionId: "x" });
    socket().say({ type: "res", id: socket().sent.at(-1)?.id, ok: false, error: { code: "not_found", message: "There is no session x." } });
    await expect(call).rejects.toMatchObject({ code: "not_found", message: "There is no session x." });
  });

  it("rejects what was under way when the connection breaks, and what comes before it is back", async () => {
    make();
    await open();
    const call = host.call("app.info", {});
    socket().drop();
    await expect(call).rejects.toMatchObject({ code: "offline" });
    await expect(host.call("app.info", {})).rejects.toBeInstanceOf(HostError);
  });

  it("skips answers to nothing and frames that are not JSON", async () => {
    make();
    await open();
    socket().say("not json");
    socket().say({ type: "res", id: "r99", ok: true, payload: {} });
    expect(host.status().kind).toBe("open");
  });
});

describe("events", () => {
  it("delivers the events of sessions by their name, in order", async () => {
    make();
    const got: SessionEvent[] = [];
    const stop = host.onEvents((batch) => got.push(...batch));
    await open();
    const one = event("done", "s", 1, { reason: "completed" });
    const two = event("done", "s", 2, { reason: "error" });
    socket().say({ type: "event", event: "session.done", payload: one.payload });
    socket().say({ type: "event", event: "session.unheard_of", payload: { sessionId: "s", seq: 9 } });
    socket().say({ type: "event", event: "other.done", payload: {} });
    socket().say({ type: "event", event: "session.done", payload: two.payload });
    expect(got).toEqual([one, two]);
    stop();
    socket().say({ type: "event", event: "session.done", payload: one.payload });
    expect(got).toHaveLength(2);
  });
});

it("delivers what belongs to no session apart from the rest", async () => {
  make();
  const got: GlobalEvent[] = [];
  const sessions = vi.fn();
  const stop = host.onGlobal((event) => got.push(event));
  host.onEvents(sessions);
  await open();
  const changed = { changed: [], removed: ["s"] };
  socket().say({ type: "event", event: "sessions.changed", payload: changed });
  socket().say({ type: "event", event: "sessions.unheard_of", payload: {} });
  socket().say({ type: "event", event: "workspaces.changed", payload: {} });
  expect(got).toEqual([
    { event: "sessions.changed", payload: changed },
    { event: "workspaces.changed", payload: {} },
  ]);
  expect(sessions).not.toHaveBeenCalled();
  stop();
  socket().say({ type: "event", event: "workspaces.changed", payload: {} });
  expect(got).toHaveLength(2);
});

describe("links", () => {
  it("opens only what cannot start a program", () => {
    const opened = vi.fn();
    make({ open: opened });
    host.openExternal("https://example.org/a");
    host.openExternal("javascript:alert(1)");
    host.openExternal("file:///etc/passwd");
    expect(opened.mock.calls).toEqual([["https://example.org/a"]]);
  });
});
