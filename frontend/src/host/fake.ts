// A host made of plain functions, for tests and the gallery.

import { createSignal } from "solid-js";
import type { GlobalEvent, SessionEvent } from "./border.gen";
import {
  type Capabilities,
  createListeners,
  type Host,
  HostError,
  type HostStatus,
  type Method,
  type Params,
  type Result,
} from "./host";

export type Handlers = {
  [M in Method]?: (params: Params<M>) => Result<M> | Promise<Result<M>>;
};

export interface FakeHost extends Host {
  /** All calls, in order. */
  readonly calls: { method: Method; params: unknown }[];
  /** The parameters of all calls to a method. */
  callsOf<M extends Method>(method: M): Params<M>[];
  /** Sets the handler of a method. */
  on<M extends Method>(method: M, handler: (params: Params<M>) => Result<M> | Promise<Result<M>>): void;
  emit(...events: SessionEvent[]): void;
  emitGlobal(event: GlobalEvent): void;
  setStatus(status: HostStatus): void;
  /** The links that were opened. */
  readonly opened: string[];
}

export function createFakeHost(handlers: Handlers = {}, capabilities: Partial<Capabilities> = {}): FakeHost {
  const [status, setStatus] = createSignal<HostStatus>({ kind: "open" });
  const sessionEvents = createListeners<SessionEvent[]>();
  const globalEvents = createListeners<GlobalEvent>();
  const table = new Map<Method, (params: never) => unknown>(
    Object.entries(handlers) as [Method, (params: never) => unknown][],
  );
  const calls: { method: Method; params: unknown }[] = [];
  const opened: string[] = [];

  return {
    kind: "fake",
    capabilities: { pickFolder: false, ...capabilities },
    status,
    calls,
    opened,
    setStatus,
    async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
      calls.push({ method, params });
      const handler = table.get(method) as ((params: Params<M>) => Result<M> | Promise<Result<M>>) | undefined;
      if (!handler) throw new HostError("not_found", `There is no method ${method}.`);
      return handler(params);
    },
    callsOf<M extends Method>(method: M): Params<M>[] {
      return calls.filter((c) => c.method === method).map((c) => c.params as Params<M>);
    },
    on(method, handler) {
      table.set(method, handler as (params: never) => unknown);
    },
    onEvents: sessionEvents.add,
    onGlobal: globalEvents.add,
    emit: (...events) => sessionEvents.tell(events),
    emitGlobal: globalEvents.tell,
    reconnect() {},
    openExternal(url) {
      opened.push(url);
    },
    close() {
      sessionEvents.clear();
      globalEvents.clear();
    },
  };
}
