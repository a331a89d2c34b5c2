// The interface between the page and the program. All calls and events go through a Host: the native window (wails.ts),
// a gateway socket (socket.ts) or a fake for tests and the gallery (fake.ts). Nothing else in src knows which one it
// is.

import type { Accessor } from "solid-js";
import { text, translated } from "../i18n";
import type { Menus } from "./menus";
import {
  type GlobalEvent,
  globalEventNames,
  type MethodName,
  type Methods,
  type SessionEvent,
  sessionEventNames,
} from "./border.gen";
import type { Handing } from "./handing";

export type Method = MethodName;
export type Params<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

/** The state of the connection to the program. */
export type HostStatus =
  | { kind: "connecting" }
  | { kind: "open" }
  /** The connection is lost; retryAt is the time of the next attempt (Unix ms), null for never. */
  | { kind: "closed"; reason: string; retryAt: number | null }
  /** There is no token, or the program rejects it. */
  | { kind: "unauthorized" };

export interface Capabilities {
  /** Whether the system's folder dialog is available. */
  pickFolder: boolean;
}

export interface Host {
  readonly kind: "window" | "gateway" | "fake";
  readonly capabilities: Capabilities;
  /** Content from other programs; undefined where the browser delivers it to the page. */
  readonly handing?: Handing;
  readonly status: Accessor<HostStatus>;
  /** Calls a method. Only ever rejects with a HostError. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Delivers the sessions' events in order and in batches. Returns the unsubscriber. */
  onEvents(listener: (batch: SessionEvent[]) => void): () => void;
  /**
   * Delivers the events that belong to no session, in order. They are not numbered: after a reconnect, everything is
   * requested again. Returns the unsubscriber.
   */
  onGlobal(listener: (event: GlobalEvent) => void): () => void;
  /** The window's native menus; undefined if there are none. */
  readonly menus?: Menus;
  /** Reconnects immediately instead of at retryAt. */
  reconnect(): void;
  /** Opens an http, https or mailto address outside the page. */
  openExternal(url: string): void;
  close(): void;
}

/**
 * A failed call: the code for the program, the message for the user. The codes are those of the back end, and "offline"
 * if the request was not delivered or its answer was lost.
 */
export class HostError extends globalThis.Error {
  override readonly name = "HostError";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The message of any failure, for the user. */
export function messageOf(error: unknown): string {
  // Only programs need to know which parameter was wrong.
  if (error instanceof HostError) return translated(error.message).replace(/ \(parameters? [\w ]+\)/, "");
  return text().connection.wrong;
}

const names: ReadonlySet<string> = new Set(sessionEventNames);
const globalNames: ReadonlySet<string> = new Set(globalEventNames);
const prefix = "session.";

/** Parses an event from the API; null if it is not a session's. */
export function toSessionEvent(event: unknown, payload: unknown): SessionEvent | null {
  if (typeof event !== "string" || !event.startsWith(prefix)) return null;
  const name = event.slice(prefix.length);
  if (!names.has(name) || typeof payload !== "object" || payload === null) return null;
  // The types were generated from the program that sends it.
  return { event: name, payload } as SessionEvent;
}

/** Parses an event from the API; null if it is not global. */
export function toGlobalEvent(event: unknown, payload: unknown): GlobalEvent | null {
  if (typeof event !== "string" || !globalNames.has(event)) return null;
  if (typeof payload !== "object" || payload === null) return null;
  return { event, payload } as GlobalEvent;
}

/** The listeners for one kind of event. */
export interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
  clear(): void;
}

export function createListeners<T>(): Listeners<T> {
  const all = new Set<(value: T) => void>();
  return {
    add(listener) {
      all.add(listener);
      return () => all.delete(listener);
    },
    tell(value) {
      for (const listener of all) listener(value);
    },
    clear: () => all.clear(),
  };
}
