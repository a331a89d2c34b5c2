// The one seam between the page and the program. Everything the page asks for
// and everything it is told goes through a Host: the native window (wails.ts), a
// gateway socket (socket.ts) or a made-up one for tests and the gallery
// (fake.ts). Nothing else in src knows which it is.

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

/** What the link to the program is like. */
export type HostStatus =
  | { kind: "connecting" }
  | { kind: "open" }
  /** The link is down; retryAt is when it is tried again (Unix ms), null for never. */
  | { kind: "closed"; reason: string; retryAt: number | null }
  /** There is no token, or the program does not accept it. */
  | { kind: "unauthorized" };

export interface Capabilities {
  /** The system's own folder dialog can be shown. */
  pickFolder: boolean;
}

export interface Host {
  readonly kind: "window" | "gateway" | "fake";
  readonly capabilities: Capabilities;
  /** What comes out of other programs; absent where the browser gives it to the page itself. */
  readonly handing?: Handing;
  readonly status: Accessor<HostStatus>;
  /** Calls a method. Rejects with a HostError and nothing else. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Delivers the sessions' events in order, several at a time. Returns the unsubscriber. */
  onEvents(listener: (batch: SessionEvent[]) => void): () => void;
  /**
   * Delivers the events that belong to no session, in order. They have no numbers:
   * after a lost link everything is asked for again. Returns the unsubscriber.
   */
  onGlobal(listener: (event: GlobalEvent) => void): () => void;
  /** The window's own menus; undefined where there are none. */
  readonly menus?: Menus;
  /** Tries to connect at once instead of at retryAt. */
  reconnect(): void;
  /** Opens an http, https or mailto address outside the page. */
  openExternal(url: string): void;
  close(): void;
}

/**
 * A failed call: the code for the program, the message for the user. The codes
 * are those of the back end, and "offline" when the request did not get there or
 * its answer did not come back.
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

/** What a user can read about a failure of any kind. */
export function messageOf(error: unknown): string {
  // Which parameter was wrong is for programs.
  if (error instanceof HostError) return translated(error.message).replace(/ \(parameters? [\w ]+\)/, "");
  return text().connection.wrong;
}

const names: ReadonlySet<string> = new Set(sessionEventNames);
const globalNames: ReadonlySet<string> = new Set(globalEventNames);
const prefix = "session.";

/** Reads an event as the border carries it; null for one that is not a session's. */
export function toSessionEvent(event: unknown, payload: unknown): SessionEvent | null {
  if (typeof event !== "string" || !event.startsWith(prefix)) return null;
  const name = event.slice(prefix.length);
  if (!names.has(name) || typeof payload !== "object" || payload === null) return null;
  // The program that sends it is the one the types were generated from.
  return { event: name, payload } as SessionEvent;
}

/** Reads an event as the border carries it; null for one that is not global. */
export function toGlobalEvent(event: unknown, payload: unknown): GlobalEvent | null {
  if (typeof event !== "string" || !globalNames.has(event)) return null;
  if (typeof payload !== "object" || payload === null) return null;
  return { event, payload } as GlobalEvent;
}

/** Those who listen for one kind of thing. */
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
