// The host of the page in the native window: one bound object for calls, one event for all messages from the program.
// Bodies too large for an event are announced ({"pull":id}) and fetched here in sequence, so that the order is kept.

import { createSignal } from "solid-js";
import { safeHref } from "../lib/links";
import type { Handed } from "./handed";
import { type GlobalEvent, orderedMethods, type SessionEvent } from "./border.gen";
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
import type { DragEntry, HandingBridge } from "./handing";
import { createHanding } from "./wails-handing";
import type { Menus } from "./menus";

interface BoundHost extends HandingBridge {
  Call(method: string, params: string): Promise<string>;
  Pull(id: string): Promise<string>;
  Open(url: string): Promise<void>;
  Shown(shown: boolean): Promise<void>;
}

/** Each call passes the document's secret first. */
type Passed<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (pass: string, ...args: A) => R : never };

/** What Wails adds to the page. */
export interface WailsBridge {
  go: { desktop: { Host: Passed<BoundHost> } };
  runtime: { EventsOn(name: string, callback: (batch: string) => void): () => void };
  webkit?: { messageHandlers?: { parleyMenus?: MenuHandler } };
}

/** The program's handler for menu messages from the page; only on Linux. */
interface MenuHandler {
  postMessage(message: string): void;
}

/** How long the answers in the document are valid, in milliseconds. */
const handedFor = 5000;

type Entry = { event: string; payload: unknown } | { pull: string } | { lagged: true } | { drag: DragEntry };

/** The bound object, with the secret prepended to each call's arguments. */
function withPass(host: Passed<BoundHost>, pass: string): BoundHost {
  return new Proxy({} as BoundHost, {
    get:
      (_, name: keyof BoundHost) =>
      (...args: unknown[]) =>
        (host[name] as (...all: unknown[]) => unknown)(pass, ...args),
  });
}

export function createWailsHost(bridge: WailsBridge, { pass, answers }: Handed): Host {
  const bound = withPass(bridge.go.desktop.Host, pass);
  const [status, setStatus] = createSignal<HostStatus>({ kind: "open" });
  const sessionEvents = createListeners<SessionEvent[]>();
  const globalEvents = createListeners<GlobalEvent>();
  const handing = createHanding(bound, (error) => {
    throw toHostError(error);
  });

  // Batches that wait for a body to be fetched; nearly always empty.
  const waiting: Entry[][] = [];
  let draining = false;

  async function drain(): Promise<void> {
    draining = true;
    try {
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
        let events: SessionEvent[] = [];
        const deliver = () => {
          if (events.length > 0) sessionEvents.tell(events);
          events = [];
        };
        for (const entry of batch) {
          if ("lagged" in entry) {
            // Events were dropped. Everything is reloaded, as after a lost connection.
            setStatus({ kind: "connecting" });
            setStatus({ kind: "open" });
            continue;
          }
          if ("drag" in entry) {
            handing.dragged(entry.drag);
            continue;
          }
          const full = "pull" in entry ? await pull(entry.pull) : entry;
          const event = full && toSessionEvent(full.event, full.payload);
          if (event) events.push(event);
          const global = full && toGlobalEvent(full.event, full.payload);
          if (!global) continue;
          deliver();
          globalEvents.tell(global);
        }
        deliver();
      }
    } finally {
      draining = false;
    }
  }

  async function pull(id: string): Promise<{ event: string; payload: unknown } | null> {
    try {
      return JSON.parse(await bound.Pull(id)) as { event: string; payload: unknown };
    } catch {
      // It is no longer stored. The store notices the gap in the sequence numbers and requests a snapshot.
      return null;
    }
  }

  // Later calls need current answers.
  setTimeout(() => answers.clear(), handedFor);

  // A single listener: one that throws would silence those after it.
  const off = bridge.runtime.EventsOn("parley", (json) => {
    // The answers in the document are older than the event, which may concern them.
    answers.clear();
    waiting.push(JSON.parse(json) as Entry[]);
    if (!draining) void drain();
  });

  // A hidden page receives no events; missed ones arrive when it is shown.
  let told: Promise<void> = Promise.resolve();
  const tellShown = () => {
    told = told.then(() => bound.Shown(document.visibilityState !== "hidden")).catch(() => {});
  };
  document.addEventListener("visibilitychange", tellShown);
  tellShown();

  // Wails runs every call in its own thread, so that two quick ones may overtake each other. Calls that must stay in
  // order wait here for the previous one.
  let last: Promise<unknown> = Promise.resolve();

  function call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    if (!orderedMethods.has(method)) return send(method, params);
    const answer = last.then(() => send(method, params));
    last = answer.catch(() => {});
    return answer;
  }

  async function send<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    let answer: string;
    const asked = JSON.stringify(params);
    const key = `${method} ${asked}`;
    if (answers.has(key)) {
      const handed = answers.get(key) as Result<M>;
      answers.delete(key);
      return handed;
    }
    try {
      answer = await bound.Call(method, asked);
    } catch (error) {
      throw toHostError(error);
    }
    return JSON.parse(answer) as Result<M>;
  }

  const listening = bridge.webkit?.messageHandlers?.parleyMenus;

  return {
    kind: "window",
    capabilities: { pickFolder: true },
    handing,
    ...(listening ? { menus: createMenus(listening, bridge.runtime) } : {}),
    status,
    call,
    onEvents: sessionEvents.add,
    onGlobal: globalEvents.add,
    reconnect() {},
    openExternal(url) {
      // If the system can't open the link, the user stays where they are.
      const safe = safeHref(url);
      if (safe !== null) bound.Open(safe).catch(() => {});
    },
    close() {
      off();
      document.removeEventListener("visibilitychange", tellShown);
      sessionEvents.clear();
      globalEvents.clear();
    },
  };
}

function createMenus(listening: MenuHandler, runtime: WailsBridge["runtime"]): Menus {
  return {
    // A handler of the program's, not a window: it has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    say: (message) => listening.postMessage(JSON.stringify(message)),
    onChosen: (listener) => runtime.EventsOn("parley.menu", listener),
  };
}

/** A rejected call carries an Error whose message is {"code","message"} as JSON. */
function toHostError(error: unknown): HostError {
  const text = error instanceof globalThis.Error ? error.message : String(error);
  try {
    const failure = JSON.parse(text) as { code?: unknown; message?: unknown };
    if (typeof failure.code === "string" && typeof failure.message === "string") {
      return new HostError(failure.code, failure.message);
    }
  } catch {
    // Not an error from the program.
  }
  return new HostError("internal", text);
}
