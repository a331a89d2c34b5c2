// The host of a page in a browser: one WebSocket to `parley serve`. It reconnects when the connection breaks; pending
// requests then fail as "offline", and missed events show as a gap in the sequence numbers.

import { createSignal } from "solid-js";
import { text } from "../i18n";
import { safeHref } from "../lib/links";
import { type GlobalEvent, globalEventNames, type SessionEvent } from "./border.gen";
import type { Key } from "./key";
import {
  createListeners,
  type Host,
  HostError,
  type HostStatus,
  type Method,
  type Params,
  type Result,
  toGlobalEvent,
  toSessionEvent,
} from "./host";

const firstDelay = 500;
const maxDelay = 30_000;
/** The close code of a program that restarts, and the retries and time before that is reported. */
const restarts = 1012;
const quietDelay = 200;
const quietTime = 3_000;
/** The timeout of the liveness check. */
const checkTimeout = 10_000;

export interface SocketOptions {
  /** The address of the program; the socket is at /ws below it. */
  base: string;
  key: Key;
  WebSocket?: typeof WebSocket;
  /** Whether the program rejects this credential. The browser does not say why a handshake failed. */
  refused?: (way: string) => Promise<boolean>;
  random?: () => number;
  open?: (url: string) => void;
}

interface Pending {
  resolve: (payload: unknown) => void;
  reject: (error: HostError) => void;
}

export function createSocketHost(options: SocketOptions): Host {
  const Socket = options.WebSocket ?? WebSocket;
  const random = options.random ?? Math.random;
  const refused = options.refused ?? ((way) => askWhetherRefused(options.base, way));
  const [status, setStatus] = createSignal<HostStatus>(
    options.key.current() === null ? { kind: "unauthorized" } : { kind: "connecting" },
  );
  const sessionEvents = createListeners<SessionEvent[]>();
  const globalEvents = createListeners<GlobalEvent>();
  const pending = new Map<string, Pending>();

  let socket: WebSocket | null = null;
  let nextId = 0;
  let failures = 0;
  /** When the program announced its restart, 0 while it is running. */
  let restartAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let trading = false;

  function connect(): void {
    clearTimeout(timer);
    if (stopped || socket || trading) return;
    const trade = options.key.trade();
    if (trade) {
      trading = true;
      setStatus({ kind: "connecting" });
      void trade.then((reached) => {
        trading = false;
        if (reached) connect();
        else if (!stopped) void lost(null, "");
      });
      return;
    }
    const way = options.key.current();
    if (way === null) {
      setStatus({ kind: "unauthorized" });
      return;
    }
    setStatus({ kind: "connecting" });
    let ws: WebSocket;
    try {
      ws = new Socket(socketAddress(options.base), way === "" ? ["parley.v1"] : ["parley.v1", way]);
    } catch {
      // It can't be sent in a header.
      options.key.refused(way);
      connect();
      return;
    }
    socket = ws;
    let opened = false;
    ws.onopen = () => {
      opened = true;
      options.key.accepted(way);
      request("subscribe", { events: ["session.*", ...globalEventNames] }).then(
        () => {
          failures = 0;
          restartAt = 0;
          setStatus({ kind: "open" });
        },
        () => ws.close(),
      );
    };
    ws.onmessage = (message) => receive(message.data);
    ws.onclose = (close) => {
      if (socket !== ws) return;
      socket = null;
      if (close.code === restarts) restartAt = Date.now();
      failAll();
      if (!stopped) void lost(opened ? null : way, close.reason);
    };
  }

  /** The connection is lost; unheard is the credential if it was never established. */
  async function lost(unheard: string | null, reason: string): Promise<void> {
    if (unheard !== null && (await refused(unheard))) {
      options.key.refused(unheard);
      connect();
      return;
    }
    if (stopped || socket) return;
    clearTimeout(timer);
    if (restartAt > 0 && Date.now() - restartAt < quietTime) {
      setStatus({ kind: "connecting" });
      timer = setTimeout(connect, quietDelay);
      return;
    }
    const delay = Math.min(maxDelay, firstDelay * 2 ** failures) * (0.5 + random() / 2);
    failures++;
    setStatus({ kind: "closed", reason: reason || text().connection.noAnswer, retryAt: Date.now() + delay });
    timer = setTimeout(connect, delay);
  }

  function failAll(): void {
    const waiting = [...pending.values()];
    pending.clear();
    for (const p of waiting) p.reject(new HostError("offline", text().connection.lost));
  }

  function receive(data: unknown): void {
    let frame: Frame;
    try {
      frame = JSON.parse(String(data)) as Frame;
    } catch {
      // A gap in the sequence numbers will show what this was.
      return;
    }
    if (frame.type === "event") {
      const event = toSessionEvent(frame.event, frame.payload);
      if (event) sessionEvents.tell([event]);
      const global = toGlobalEvent(frame.event, frame.payload);
      if (global) globalEvents.tell(global);
      return;
    }
    if (frame.type !== "res" || frame.id === undefined) return;
    const p = pending.get(frame.id);
    if (!p) return;
    pending.delete(frame.id);
    if (frame.ok) p.resolve(frame.payload);
    else p.reject(new HostError(frame.error?.code ?? "internal", frame.error?.message ?? text().connection.failed));
  }

  function request<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return new Promise((resolve, reject) => {
      if (!socket || socket.readyState !== Socket.OPEN) {
        reject(new HostError("offline", text().connection.none));
        return;
      }
      const id = `r${++nextId}`;
      pending.set(id, { resolve: (payload) => resolve(payload as Result<M>), reject });
      socket.send(JSON.stringify({ type: "req", id, method, params }));
    });
  }

  /** Checks whether a socket that looks open still is, after the machine slept. */
  async function check(): Promise<void> {
    const ws = socket;
    if (document.visibilityState === "hidden" || !ws || status().kind !== "open") return;
    let alive = false;
    const answered = () => {
      alive = true;
    };
    request("settings.get", {}).then(answered, answered);
    await new Promise((resolve) => setTimeout(resolve, checkTimeout));
    if (alive || socket !== ws) return;
    // A dead peer does not answer the close handshake either.
    discard();
    connect();
  }

  /** Drops the socket immediately and ignores further events. */
  function discard(): void {
    const old = socket;
    socket = null;
    if (old) {
      old.onopen = old.onmessage = old.onclose = null;
      old.close();
    }
    failAll();
  }
  const onVisible = () => void check();
  document.addEventListener("visibilitychange", onVisible);
  window.addEventListener("online", onVisible);

  connect();

  return {
    kind: "gateway",
    capabilities: { pickFolder: false },
    status,
    call: request,
    onEvents: sessionEvents.add,
    onGlobal: globalEvents.add,
    reconnect() {
      failures = 0;
      connect();
    },
    openExternal(url) {
      const safe = safeHref(url);
      if (safe !== null) (options.open ?? openTab)(safe);
    },
    close() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
      window.removeEventListener("online", onVisible);
      discard();
      sessionEvents.clear();
      globalEvents.clear();
    },
  };
}

interface Frame {
  type?: string;
  id?: string;
  ok?: boolean;
  payload?: unknown;
  event?: string;
  error?: { code?: string; message?: string };
}

function socketAddress(base: string): string {
  const url = new URL("ws", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  return url.href;
}

async function askWhetherRefused(base: string, way: string): Promise<boolean> {
  const [kind, ...rest] = way.split(".");
  const headers: Record<string, string> =
    kind === "token" ? { Authorization: `Bearer ${rest.join(".")}` } : kind === "proof" ? { "Parley-Proof": rest.join(".") } : {};
  try {
    const answer = await fetch(new URL("ws", base), { headers, cache: "no-store" });
    return answer.status === 401 || answer.status === 403;
  } catch {
    return false;
  }
}

function openTab(url: string): void {
  window.open(url, "_blank", "noopener,noreferrer");
}
