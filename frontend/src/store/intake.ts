// The entry point for everything from the program. Events are collected and applied to the
// state at most once per frame. Their sequence numbers are checked here: a session with a
// gap is loaded again, and later events wait, so the state never shows a conversation with
// a missing part.
//
// Each session has two numbers. "last" is the newest event that the record reflects,
// "page" the newest one that the messages reflect: a page of history may include events
// that have not arrived yet. Sessions that do not run have no events: their changes come
// as whole records (pushChange), which never replace one that reflects a newer event.

import { batch } from "solid-js";
import { produce, reconcile } from "solid-js/store";
import type { History, OpenQuestion, Session, SessionEvent, SessionList, SessionsChanged } from "../host/border.gen";
import { type Host, HostError, messageOf } from "../host/host";
import { applyToConversation, applyToSession } from "./apply";
import { fromHistory, loadingConversation } from "./conversation";
import { createFrames, type Schedule } from "./frames";
import { dropRecord, putRecord, putShelf, type Store } from "./records";

/** Messages per request. */
export const pageSize = 60;
/** The maximum number of events waiting for a snapshot; beyond it they are dropped, which causes another gap. */
const maxWaiting = 50_000;
const retryDelay = 1000;
/** The number of characters applied per frame, so that a burst does not block the page. */
const perFrame = 700;
/** If more is waiting, a quarter of it, up to this many, so that it doesn't pile up. */
const mostAtOnce = 2500;

/** Events that only append to a text. */
const pieces = new Set<SessionEvent["event"]>(["text_delta", "thinking_delta", "tool_input"]);

/** Receives sessions' events once the state reflects them. */
export interface Follower {
  applied(events: readonly SessionEvent[]): void;
  /** Events of this session were missed, and it was loaded again. */
  missed(sessionId: string): void;
}

export interface Intake {
  /** Queues events; they are applied with the next frame. */
  push(events: SessionEvent[]): void;
  /** Adds a follower. Returns the unsubscriber. */
  follow(follower: Follower): () => void;
  /** Applies changes to sessions that do not run. */
  pushChange(change: SessionsChanged): void;
  /** Holds back all events until resume, while the list of sessions is loaded. */
  pause(): void;
  /** Continues from these records and requests. Other known sessions stay until forget. */
  resume(sessions: Session[], questions: OpenQuestion[]): void;
  /** Applies a record returned by a call, unless events have produced a newer one. */
  learn(session: Session): void;
  /** Applies a page of records, except for those that changed while it was loading. */
  learnPage(read: Promise<SessionList>): Promise<SessionList>;
  /** Drops a session that no longer exists. */
  forget(sessionId: string): void;
  /** Loads the newest page of a session's messages. */
  load(sessionId: string): Promise<void>;
  /** Drops a session's messages. */
  unload(sessionId: string): void;
}

export function createIntake(store: Store, host: Host, schedule: Schedule = createFrames()): Intake {
  const { state, set } = store;
  const last = new Map<string, number>();
  const page = new Map<string, number>();
  /** Held events of sessions whose record is being reloaded. */
  const resyncing = new Map<string, SessionEvent[]>();
  /** Held events of sessions whose messages are loading. */
  const loading = new Map<string, SessionEvent[]>();
  /** For each page of records being loaded, the sessions that changed since. */
  const reads = new Set<Set<string>>();
  let changes: SessionsChanged[] = [];
  let paused = true;
  let queue: SessionEvent[] = [];
  /** Whether the queue has more than text growth, or more of that than one frame applies. */
  let urgent = false;
  let scheduled = false;
  let flushing = false;
  const followers = new Set<Follower>();
  /** Events the followers have not received yet. */
  let applied: SessionEvent[] = [];

  function tell(): void {
    const events = applied;
    applied = [];
    if (events.length > 0) for (const follower of followers) follower.applied(events);
  }

  function flush(): void {
    scheduled = false;
    // The loop below takes the rest, even if called again immediately.
    if (flushing) return;
    flushing = true;
    try {
      do flushSome();
      while (flushSoon());
    } finally {
      flushing = false;
    }
  }

  function flushSome(): void {
    if (paused) return;
    const events = queue.splice(0, some(queue));
    urgent = queue.length > 0;
    // A record may reflect events still in the queue, which would then be skipped as known.
    const changed = queue.length === 0 ? changes : [];
    if (queue.length === 0) changes = [];
    batch(() => {
      events.forEach(take);
      changed.forEach(change);
    });
    tell();
  }

  /** Whether to flush right now. */
  function flushSoon(): boolean {
    if (scheduled || paused || queue.length + changes.length === 0) return false;
    scheduled = true;
    schedule(flush, () => !urgent);
    return !scheduled;
  }

  function take(event: SessionEvent): void {
    const { sessionId, seq } = event.payload;
    const waiting = resyncing.get(sessionId);
    if (waiting) {
      if (waiting.length < maxWaiting) waiting.push(event);
      return;
    }
    const before = last.get(sessionId) ?? 0;
    if (seq <= before) return;
    if (seq > before + 1) {
      void resync(sessionId, event);
      return;
    }
    last.set(sessionId, seq);
    applyToSession(store, event);
    applied.push(event);
    const late = loading.get(sessionId);
    if (late) {
      if (late.length < maxWaiting) late.push(event);
    } else {
      takeMessage(event);
    }
  }

  function change({ changed, removed }: SessionsChanged): void {
    for (const read of reads) for (const id of [...changed.map((s) => s.id), ...removed]) read.add(id);
    changed.forEach(learn);
    removed.forEach(forget);
  }

  function learn(session: Session): void {
    if (state.sessions[session.id] && (last.get(session.id) ?? 0) > session.lastSeq) {
      putShelf(store, session);
      return;
    }
    last.set(session.id, session.lastSeq);
    putRecord(store, session);
  }

  function takeMessage(event: SessionEvent): void {
    const { sessionId, seq } = event.payload;
    const seen = page.get(sessionId);
    if (seen === undefined || seq <= seen) return;
    page.set(sessionId, seq);
    applyToConversation(store, event);
  }

  /** Reloads a session after a gap in its sequence numbers. */
  async function resync(sessionId: string, first: SessionEvent): Promise<void> {
    const waiting = [first];
    resyncing.set(sessionId, waiting);
    const outdated = () => resyncing.get(sessionId) !== waiting;
    try {
      const session = await host.call("session.get", { sessionId });
      const { requests } = await host.call("permission.list", { sessionId });
      const history = state.conversations[sessionId]
        ? await host.call("session.history", { sessionId, limit: pageSize })
        : null;
      if (outdated()) return;
      resyncing.delete(sessionId);
      // A page requested before the gap was found may lack the missing events.
      if (loading.has(sessionId)) void load(sessionId);
      else if (history && state.conversations[sessionId]) install(sessionId, history);
      batch(() => {
        last.set(sessionId, session.lastSeq);
        putRecord(store, session);
        replaceQuestions(requests, (q) => q.sessionId === sessionId);
        waiting.forEach(take);
      });
      tell();
      for (const follower of followers) follower.missed(sessionId);
    } catch (error) {
      if (outdated()) return;
      if (error instanceof HostError && error.code === "not_found") {
        resyncing.delete(sessionId);
        forget(sessionId);
        return;
      }
      // The next event detects the gap again; with a delay, to avoid a tight loop.
      setTimeout(() => {
        if (!outdated()) resyncing.delete(sessionId);
      }, retryDelay);
    }
  }

  async function load(sessionId: string): Promise<void> {
    const late: SessionEvent[] = [];
    loading.set(sessionId, late);
    if (!state.conversations[sessionId]) set("conversations", sessionId, loadingConversation());
    try {
      const history = await host.call("session.history", { sessionId, limit: pageSize });
      if (loading.get(sessionId) !== late) return;
      batch(() => {
        loading.delete(sessionId);
        install(sessionId, history);
        late.forEach(takeMessage);
      });
    } catch (error) {
      if (loading.get(sessionId) !== late) return;
      loading.delete(sessionId);
      page.delete(sessionId);
      set("conversations", sessionId, { load: "failed", error: messageOf(error) });
    }
  }

  function install(sessionId: string, history: History): void {
    page.set(sessionId, history.seq);
    set("conversations", sessionId, reconcile(fromHistory(history), { key: null }));
  }

  function forget(sessionId: string): void {
    last.delete(sessionId);
    resyncing.delete(sessionId);
    unload(sessionId);
    dropRecord(store, sessionId);
    replaceQuestions([], (q) => q.sessionId === sessionId);
  }

  function unload(sessionId: string): void {
    page.delete(sessionId);
    loading.delete(sessionId);
    set(
      "conversations",
      produce((conversations) => {
        delete conversations[sessionId];
      }),
    );
  }

  function replaceQuestions(requests: OpenQuestion[], scope: (q: OpenQuestion) => boolean): void {
    set(
      "questions",
      produce((questions) => {
        for (const [id, q] of Object.entries(questions)) if (scope(q)) delete questions[id];
        for (const q of requests) questions[q.requestId] = q;
      }),
    );
  }

  return {
    push(events) {
      for (const event of events) queue.push(event);
      urgent ||= events.some((event) => !pieces.has(event.event));
      if (queue.length > maxWaiting) queue.splice(0, queue.length - maxWaiting);
      flushSoon();
    },
    follow(follower) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
    pushChange(change) {
      changes.push(change);
      urgent = true;
      flushSoon();
    },
    pause() {
      paused = true;
    },
    resume(sessions, questions) {
      batch(() => {
        last.clear();
        resyncing.clear();
        sessions.forEach(learn);
        replaceQuestions(questions, () => true);
      });
      paused = false;
      flushSoon();
    },
    learn,
    async learnPage(read) {
      const changed = new Set<string>();
      reads.add(changed);
      try {
        const list = await read;
        batch(() => {
          for (const session of list.sessions) if (!changed.has(session.id)) learn(session);
        });
        return list;
      } finally {
        reads.delete(changed);
      }
    },
    forget,
    load,
    unload,
  };
}

/** How many of these events fit into one frame. */
function some(events: readonly SessionEvent[]): number {
  let waiting = 0;
  for (const event of events) {
    waiting += lengthOf(event);
    if (waiting >= mostAtOnce * 4) break;
  }
  const enough = Math.min(Math.max(perFrame, waiting / 4), mostAtOnce);
  let characters = 0;
  for (const [i, event] of events.entries()) {
    characters += lengthOf(event);
    if (characters >= enough) return i + 1;
  }
  return events.length;
}

function lengthOf({ payload }: SessionEvent): number {
  return "text" in payload && typeof payload.text === "string" ? payload.text.length : 0;
}
