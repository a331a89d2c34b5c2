// The one way in for everything the program says. Events are collected and put
// into the state at most once per frame. Their numbers are checked here: a
// session whose events have a hole is read again, and what arrives meanwhile
// waits, so the state never shows a conversation with a piece missing.
//
// Two numbers count per session. "last" is the newest event that the record
// reflects, "page" the newest one that the messages reflect: a page of history may
// already hold events that are still on their way here. Sessions that do not run
// have no events: what changes about them comes as a whole record (pushChange),
// which never replaces one that reflects a newer event.

import { batch } from "solid-js";
import { produce, reconcile } from "solid-js/store";
import type { History, OpenQuestion, Session, SessionEvent, SessionList, SessionsChanged } from "../host/border.gen";
import { type Host, HostError, messageOf } from "../host/host";
import { applyToConversation, applyToSession } from "./apply";
import { fromHistory, loadingConversation } from "./conversation";
import { createFrames, type Schedule } from "./frames";
import { dropRecord, putRecord, putShelf, type Store } from "./records";

/** Messages read at once. */
export const pageSize = 60;
/** Events that may wait for a snapshot; beyond, they are dropped and the hole shows again. */
const maxWaiting = 50_000;
const retryDelay = 1000;
/** So many characters are taken in with one frame, so that much that comes at once does not hold the page up. */
const perFrame = 700;
/** Of more than that, a quarter of what waits, up to so many: it would pile up. */
const mostAtOnce = 2500;

/** Events that only bring more of a text. */
const pieces = new Set<SessionEvent["event"]>(["text_delta", "thinking_delta", "tool_input"]);

/** Hears of sessions' events when the state reflects them. */
export interface Follower {
  applied(events: readonly SessionEvent[]): void;
  /** Events of this session were missed: it was read afresh. */
  missed(sessionId: string): void;
}

export interface Intake {
  /** Takes events in; they are applied with the next frame. */
  push(events: SessionEvent[]): void;
  /** Tells a follower from now on. Returns the unsubscriber. */
  follow(follower: Follower): () => void;
  /** Takes in what changed about sessions that do not run. */
  pushChange(change: SessionsChanged): void;
  /** Everything from now on waits until resume: the list of sessions is being read. */
  pause(): void;
  /** Goes on from these records and questions. Others that are known stay, until forget. */
  resume(sessions: Session[], questions: OpenQuestion[]): void;
  /** Takes a record that a call returned, unless events have made a newer one. */
  learn(session: Session): void;
  /** Takes a page of records, but none that changed while it was being read. */
  learnPage(read: Promise<SessionList>): Promise<SessionList>;
  /** Forgets a session that is not there any more. */
  forget(sessionId: string): void;
  /** Reads the newest page of a session's messages. */
  load(sessionId: string): Promise<void>;
  /** Forgets a session's messages. */
  unload(sessionId: string): void;
}

export function createIntake(store: Store, host: Host, schedule: Schedule = createFrames()): Intake {
  const { state, set } = store;
  const last = new Map<string, number>();
  const page = new Map<string, number>();
  /** Events of sessions whose record is being read again. */
  const resyncing = new Map<string, SessionEvent[]>();
  /** Events of sessions whose messages are being read. */
  const loading = new Map<string, SessionEvent[]>();
  /** The sessions that changed while a page of records was being read, for each such page. */
  const reads = new Set<Set<string>>();
  let changes: SessionsChanged[] = [];
  let paused = true;
  let queue: SessionEvent[] = [];
  /** Something waits that is more than the growth of texts, or more of that than one frame takes in. */
  let urgent = false;
  let scheduled = false;
  let flushing = false;
  const followers = new Set<Follower>();
  /** What the followers have not heard of yet. */
  let applied: SessionEvent[] = [];

  function tell(): void {
    const events = applied;
    applied = [];
    if (events.length > 0) for (const follower of followers) follower.applied(events);
  }

  function flush(): void {
    scheduled = false;
    // What is left is taken by the loop below, however soon it is called for.
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
    // A record may reflect what still waits, which would then be taken for known.
    const changed = queue.length === 0 ? changes : [];
    if (queue.length === 0) changes = [];
    batch(() => {
      events.forEach(take);
      changed.forEach(change);
    });
    tell();
  }

  /** Returns whether it is time to flush already. */
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

  /** Reads a session again after a hole in its numbers. */
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
      // A page asked for before the hole was found may lack what fell into it.
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
      // The next event finds the hole again; not at once, lest it be asked for in a loop.
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

/** How many of these events are enough for one frame. */
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
