// Which messages are in memory, and how they get there: the newest page of viewed sessions,
// older pages before it, temporarily a page from far back, and the growth of a conversation
// that another program writes.
//
// Of a conversation, the newest messages are kept without a gap, up to a limit
// (conversation.ts). A page from far back is shown separately; then the messages in between
// are loaded, and both are merged, unless that exceeds the limit. Scrolling back beyond the
// limit also shows a page from far back, and drops some of the newest messages for it.
//
// Hidden conversations are dropped after a while, or immediately when their tab is closed or
// memory runs out. They can be loaded again.

import { batch, createEffect, createRoot, on, untrack } from "solid-js";
import { produce, reconcile, unwrap } from "solid-js/store";
import { text } from "../i18n";
import type { SessionLocateParams } from "../host/border.gen";
import { type Host, messageOf } from "../host/host";
import type { Store } from "./apply";
import { fromHistory, full, join, maxMessages, maxWeight, prepend, trim, trimEnd } from "./conversation";
import { type Intake, pageSize } from "./intake";
import type { Layout } from "./layout";
import type { Conversation } from "./state";

/** The number of sessions with messages in memory, including visible ones. */
export const maxConversations = 6;
/** How long messages stay in memory after they were hidden. */
export const keepFor = 10 * 60_000;
/** The minimum interval between reloads of a growing conversation. */
export const refreshEvery = 1000;
/** Messages per request when scrolling up. More would cause visible jank. */
const olderSize = 120;
/** Messages per request between a jump and the newest ones. */
const bridgeSize = 250;
/** The number of newest messages kept when the user scrolls back beyond the limit. */
const newestKept = 500;

/** A message, by its id or by a search result. With both, the id avoids a request if it is in memory. */
export type Where = Pick<SessionLocateParams, "target" | "messageId">;

export interface Pages {
  /** Loads the newest messages unless they are in memory, and marks them as viewed. */
  read(sessionId: string): Promise<void>;
  /** Loads the next older page, of a jump or of the conversation. */
  loadOlder(sessionId: string): Promise<void>;
  /** Loads what another program has added to the conversation. Consecutive calls are merged. */
  refresh(sessionId: string): void;
  /** Shows a message, however far back it is. */
  jump(sessionId: string, where: Where): Promise<void>;
  /** Shows the very first messages, however many there are, if still wanted once they are loaded. */
  toStart(sessionId: string, wanted: () => boolean): Promise<void>;
  /** Goes back to the newest messages. */
  leaveJump(sessionId: string): void;
  /** Ends a jump once its target is part of the conversation in memory. */
  settleJump(sessionId: string): void;
  /** Loads the messages between a jump's and the newest, and merges them, unless that exceeds the limit. */
  bridge(sessionId: string): Promise<void>;
  /** Drops everything that is hidden: it may have changed while disconnected. */
  renew(): void;
  dispose(): void;
}

export function createPages(
  { state, set }: Store,
  host: Host,
  intake: Intake,
  layout: Layout,
  report: (error: unknown) => void,
): Pages {
  /** The viewed sessions, most recent last, and when they were hidden. */
  let looked: string[] = [];
  const left = new Map<string, number>();
  let jumps = 0;
  const refreshes = new Map<string, ReturnType<typeof setTimeout>>();
  const sweeping = setInterval(sweep, keepFor / 10);

  function forget(sessionId: string): void {
    intake.unload(sessionId);
    clearJump(sessionId);
    looked = looked.filter((id) => id !== sessionId);
    left.delete(sessionId);
  }

  function clearJump(sessionId: string): void {
    set(
      "jumps",
      produce((jumps) => {
        delete jumps[sessionId];
      }),
    );
  }

  function makeRoom(): void {
    const visible = new Set(untrack(layout.visible));
    let weight = 0;
    for (const [i, id] of looked.toReversed().entries()) {
      weight += unwrap(state).conversations[id]?.weight ?? 0;
      if (!visible.has(id) && (i >= maxConversations || weight > maxWeight)) forget(id);
    }
  }

  const stopWatching = createRoot((dispose) => {
    createEffect(
      on(
        () => layout.state.panes.flatMap((pane) => [...pane.tabs]),
        (tabs, before) => {
          const left = new Set(tabs);
          for (const id of before ?? []) if (!left.has(id)) forget(id);
        },
      ),
    );
    return dispose;
  });

  function sweep(): void {
    const visible = new Set(untrack(layout.visible));
    const now = Date.now();
    for (const id of Object.keys(state.conversations)) {
      if (visible.has(id)) left.delete(id);
      else if (!left.has(id)) left.set(id, now);
      else if (now - (left.get(id) ?? now) >= keepFor) forget(id);
    }
  }

  async function read(sessionId: string): Promise<void> {
    looked = [...looked.filter((id) => id !== sessionId), sessionId];
    left.delete(sessionId);
    // Effects that call this must not depend on it.
    const load = untrack(() => state.conversations[sessionId]?.load);
    makeRoom();
    if (load === undefined || load === "failed") await untrack(() => readNewest(sessionId));
  }

  /** Loads the newest messages, and those around the user's last position if that is farther back. */
  async function readNewest(sessionId: string): Promise<void> {
    const message = layout.state.places[sessionId]?.message;
    const jump = state.jumps[sessionId];
    if (message === undefined || (jump && !jump.quiet)) return await intake.load(sessionId);
    const serial = ++jumps;
    const current = () => state.jumps[sessionId]?.serial === serial;
    set("jumps", sessionId, { messageId: "", busy: true, error: "", page: null, serial, quiet: true });
    await intake.load(sessionId);
    const conversation = state.conversations[sessionId];
    if (!current()) return;
    if (conversation?.load !== "ready" || conversation.messages[message]) return clearJump(sessionId);
    try {
      const history = await host.call("session.findMessage", { sessionId, messageId: message, limit: pageSize });
      if (!current()) return;
      if (history.messages.length > 0) set("jumps", sessionId, { busy: false, page: fromHistory(history) });
      else clearJump(sessionId);
    } catch {
      // It no longer exists: show the newest.
      if (current()) clearJump(sessionId);
    }
  }

  async function loadOlder(sessionId: string): Promise<void> {
    const shown = state.jumps[sessionId]?.page ?? state.conversations[sessionId];
    if (!shown?.hasMore || shown.loadingOlder) return;
    if (full(shown)) makeWay(sessionId);
    const found = state.jumps[sessionId]?.page;
    const { before } = shown;
    const change = (fn: (c: Conversation) => void) => {
      if (!found) {
        if (state.conversations[sessionId]) set("conversations", sessionId, produce(fn));
        return;
      }
      if (!state.jumps[sessionId]?.page) return;
      const on = (page: Conversation | null) => {
        if (page) fn(page);
      };
      set("jumps", sessionId, "page", produce(on));
    };
    change((c) => {
      c.loadingOlder = true;
    });
    try {
      const history = await host.call("session.history", { sessionId, limit: olderSize, before });
      change((c) => {
        if (c.before === before) prepend(c, history);
      });
    } catch (error) {
      report(error);
    } finally {
      change((c) => {
        c.loadingOlder = false;
      });
    }
  }

  /** Switches from the newest messages to a page from far back, or further back from one. */
  function makeWay(sessionId: string): void {
    const page = state.jumps[sessionId]?.page;
    if (page) {
      const on = (c: Conversation | null) => {
        if (c) trimEnd(c, Math.floor(c.order.length / 2));
      };
      set("jumps", sessionId, "page", produce(on));
      return;
    }
    const all = unwrap(state).conversations[sessionId];
    if (!all) return;
    const { order, nested, messages, blocks, toolBlocks } = all;
    const far: Conversation = {
      ...all,
      order: [...order],
      nested: { ...nested },
      messages: { ...messages },
      blocks: { ...blocks },
      toolBlocks: { ...toolBlocks },
      activity: null,
    };
    trimEnd(far, Math.floor(order.length / 2));
    batch(() => {
      set("jumps", sessionId, { messageId: "", busy: false, error: "", page: far, serial: ++jumps });
      set("conversations", sessionId, produce((c) => trim(c, newestKept)));
    });
  }

  async function bridge(sessionId: string): Promise<void> {
    const serial = state.jumps[sessionId]?.serial;
    for (;;) {
      const jump = state.jumps[sessionId];
      const near = unwrap(state).conversations[sessionId];
      const far = jump?.serial === serial ? unwrap(state).jumps[sessionId]?.page : undefined;
      if (!near || !far || jump?.busy || near.load !== "ready" || near.loadingOlder) return;
      if (far.order.some((id) => near.messages[id])) {
        // The visible messages become the beginning of those in memory, so that nothing moves.
        const at = near.order.indexOf(far.order[0] ?? "");
        const put = (c: Conversation) => {
          if (at < 0) return join(c, far);
          trim(c, c.order.length - at);
          c.hasMore = far.hasMore;
          c.before = far.before;
        };
        batch(() => {
          set("conversations", sessionId, produce(put));
          set("jumps", sessionId, "page", null);
        });
        return;
      }
      if (!near.hasMore || full(near, far)) return;
      const { before } = near;
      try {
        const history = await host.call("session.history", { sessionId, limit: bridgeSize, before });
        if (state.jumps[sessionId]?.serial !== serial || state.conversations[sessionId]?.before !== before) return;
        set("conversations", sessionId, produce((c) => prepend(c, history)));
      } catch {
        // The jump's messages are shown; the newest are one click away.
        return;
      }
    }
  }

  async function readGrowth(sessionId: string): Promise<void> {
    const before = state.sessions[sessionId]?.lastSeq;
    const ready = () => state.conversations[sessionId]?.load === "ready";
    if (!ready()) return;
    try {
      const history = await host.call("session.history", { sessionId, limit: pageSize });
      // If the session runs here by now, its changes come as events.
      if (ready() && state.sessions[sessionId]?.lastSeq === before) merge(sessionId, fromHistory(history));
    } catch {
      // The next growth, or opening it again, retries.
    }
  }

  /** Merges a newer page message by message, so that known messages are not rendered again. */
  function merge(sessionId: string, page: Conversation): void {
    const path = ["conversations", sessionId] as const;
    const known = state.conversations[sessionId];
    if (!known) return;
    // More was added than a page holds: the part in between is loaded when scrolling up.
    if (known.order.length > 0 && !page.order.some((id) => known.messages[id])) {
      set(...path, reconcile(page, { key: null }));
      return;
    }
    batch(() => {
      const added = page.order.filter((id) => !known.messages[id]);
      for (const [id, block] of Object.entries(page.blocks)) set(...path, "blocks", id, reconcile(block, { key: null }));
      set(...path, "toolBlocks", page.toolBlocks);
      for (const [parent, ids] of Object.entries(page.nested)) {
        set(...path, "nested", parent, (old = []) => [...old, ...ids.filter((id) => !old.includes(id))]);
      }
      for (const [id, message] of Object.entries(page.messages)) {
        set(...path, "messages", id, reconcile(message, { key: null }));
      }
      if (added.length === 0) return;
      set(
        ...path,
        produce((c) => {
          c.order.push(...added);
          if (c.order.length > maxMessages) trim(c, maxMessages / 2);
        }),
      );
    });
  }

  return {
    read,
    loadOlder,
    refresh(sessionId) {
      if (refreshes.has(sessionId)) return;
      const timer = setTimeout(() => {
        refreshes.delete(sessionId);
        void readGrowth(sessionId);
      }, refreshEvery);
      refreshes.set(sessionId, timer);
    },
    async jump(sessionId, where) {
      const serial = ++jumps;
      const id = where.messageId ?? "";
      if (id !== "" && state.conversations[sessionId]?.messages[id]) {
        set("jumps", sessionId, { messageId: id, busy: false, error: "", page: null, serial, quiet: false });
        return;
      }
      const old = state.jumps[sessionId];
      if (id !== "" && old?.page?.messages[id]) {
        set("jumps", sessionId, { messageId: id, busy: false, error: "", serial, quiet: false });
        return;
      }
      set("jumps", sessionId, { messageId: "", page: null, ...old, busy: true, error: "", serial, quiet: false });
      const current = () => state.jumps[sessionId]?.serial === serial;
      try {
        const place = where.target ? { target: where.target } : { messageId: id };
        const history = await host.call("session.findMessage", { sessionId, ...place, limit: pageSize });
        const last = history.messages.at(-1)?.id;
        if (!current()) return;
        if (last === undefined) set("jumps", sessionId, { busy: false, error: text().connection.messageGone });
        else set("jumps", sessionId, { messageId: last, busy: false, page: fromHistory(history) });
      } catch (error) {
        if (current()) set("jumps", sessionId, { busy: false, error: messageOf(error) });
      }
    },
    async toStart(sessionId, wanted) {
      const shown = state.jumps[sessionId]?.page ?? state.conversations[sessionId];
      if (!shown?.hasMore) return;
      const before = state.jumps[sessionId]?.serial;
      try {
        const history = await host.call("session.findMessage", { sessionId, first: true, limit: pageSize });
        // The user went elsewhere in the meantime.
        if (!wanted() || state.jumps[sessionId]?.serial !== before || history.messages.length === 0) return;
        set("jumps", sessionId, { messageId: "", busy: false, error: "", page: fromHistory(history), serial: ++jumps, quiet: true });
      } catch (error) {
        report(error);
      }
    },
    bridge,
    settleJump(sessionId) {
      const jump = state.jumps[sessionId];
      if (jump && !jump.busy && !jump.page) clearJump(sessionId);
    },
    leaveJump(sessionId) {
      clearJump(sessionId);
      void read(sessionId);
    },
    renew() {
      const visible = new Set(layout.visible());
      for (const id of Object.keys(state.conversations)) {
        if (visible.has(id)) void readNewest(id);
        else forget(id);
      }
    },
    dispose() {
      stopWatching();
      clearInterval(sweeping);
      for (const timer of refreshes.values()) clearTimeout(timer);
    },
  };
}
