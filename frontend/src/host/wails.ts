// The host of the page in the native window: one bound object for calls, one
// event for everything that the program says. Bodies too large for an event are
// announced ({"pull":id}) and fetched here, in their turn, so that the order is
// kept.

import { createSignal } from "solid-js";
import { safeHref } from "../lib/links";
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

/** What Wails puts into the page. */
export interface WailsBridge {
  go: {
    desktop: {
      Host: {
        Call(method: string, params: string): Promise<string>;
        Pull(id: string): Promise<string>;
        Open(url: string): Promise<void>;
      };
    };
  };
  runtime: { EventsOn(name: string, callback: (batch: string) => void): () => void };
}

type Entry = { event: string; payload: unknown } | { pull: string } | { lagged: true };

export function createWailsHost(bridge: WailsBridge): Host {
  const bound = bridge.go.desktop.Host;
  const [status, setStatus] = createSignal<HostStatus>({ kind: "open" });
  const sessionEvents = createListeners<SessionEvent[]>();
  const globalEvents = createListeners<GlobalEvent>();

  // Batches that wait for a body to be fetched; empty almost always.
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
            // Events were dropped. Everything is read again, as after a lost link.
            setStatus({ kind: "connecting" });
            setStatus({ kind: "open" });
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
      // It is not kept any more. The hole in the sequence numbers shows, and the
      // store asks for a snapshot.
      return null;
    }
  }

  // One listener for the one event: a listener that throws silences those after it.
  const off = bridge.runtime.EventsOn("parley", (json) => {
    waiting.push(JSON.parse(json) as Entry[]);
    if (!draining) void drain();
  });

  // Wails carries out every call on a thread of its own, so that two quick ones may
  // overtake each other. Those that must not wait here for the one before.
  let last: Promise<unknown> = Promise.resolve();

  function call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    if (!orderedMethods.has(method)) return send(method, params);
    const answer = last.then(() => send(method, params));
    last = answer.catch(() => {});
    return answer;
  }

  async function send<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    let answer: string;
    try {
      answer = await bound.Call(method, JSON.stringify(params));
    } catch (error) {
      throw toHostError(error);
    }
    return JSON.parse(answer) as Result<M>;
  }

  return {
    kind: "window",
    capabilities: { pickFolder: true },
    status,
    call,
    onEvents: sessionEvents.add,
    onGlobal: globalEvents.add,
    reconnect() {},
    openExternal(url) {
      // A link that the system cannot open leaves the person where they are.
      const safe = safeHref(url);
      if (safe !== null) bound.Open(safe).catch(() => {});
    },
    close() {
      off();
      sessionEvents.clear();
      globalEvents.clear();
    },
  };
}

/** A rejected call carries an Error whose message is {"code","message"} in JSON. */
function toHostError(error: unknown): HostError {
  const text = error instanceof globalThis.Error ? error.message : String(error);
  try {
    const failure = JSON.parse(text) as { code?: unknown; message?: unknown };
    if (typeof failure.code === "string" && typeof failure.message === "string") {
      return new HostError(failure.code, failure.message);
    }
  } catch {
    // Not from our side of the bridge.
  }
  return new HostError("internal", text);
}
