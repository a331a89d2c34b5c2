// The messages of a room or one of its threads: a bounded window with more on either side, updated live.

import { createSignal, onCleanup } from "solid-js";
import { createStore, produce } from "solid-js/store";
import type { Receipt, RoomMessage, RoomReceipt } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";

const page = 50;
/** The maximum number of messages in memory; messages farther away are loaded again. */
export const most = 400;

const order = ["accepted", "delivered", "read", "answered"];

/** Whether a receipt supersedes the current one. A failed delivery may be retried. */
function further(next: Receipt, now: Receipt): boolean {
  if (next.at !== now.at && (next.state === "failed" || now.state === "failed")) return next.at > now.at;
  return order.indexOf(next.state) >= order.indexOf(now.state);
}

function merged(before: RoomMessage | undefined, now: RoomMessage): RoomMessage {
  if (!before) return now;
  return { ...now, receipts: now.receipts.map((r) => {
    const was = before.receipts.find((one) => one.memberId === r.memberId);
    return was && further(was, r) ? was : r;
  }) };
}

export function createConversation(host: Host, roomId: string, thread = 0) {
  const [all, set] = createStore<{ messages: RoomMessage[]; waiting: RoomMessage[] }>({ messages: [], waiting: [] });
  const [older, setOlder] = createSignal(false);
  const [newer, setNewer] = createSignal(false);
  const [error, setError] = createSignal("");
  const [ready, setReady] = createSignal(false);
  const [busy, setBusy] = createSignal<"" | "newest" | "older" | "newer">("");
  /** The highest known message number. */
  let latest = 0;
  let turn = 0;
  let listener: (message: RoomMessage) => void = () => {};
  /** Whether the view is at the newest messages: then older ones may be dropped for them. */
  let follows: () => boolean = () => true;

  const first = () => all.messages[0]?.seq ?? 0;
  const last = () => all.messages.at(-1)?.seq ?? 0;

  async function read(which: "newest" | "older" | "newer"): Promise<void> {
    const mine = ++turn;
    setBusy(which);
    try {
      const answer = await host.call("room.messages", {
        roomId,
        limit: page,
        ...(thread ? { thread } : {}),
        ...(which === "older" ? { before: first() } : which === "newer" ? { after: last() } : {}),
      });
      if (mine !== turn) return;
      const known = new Map(all.messages.map((m) => [m.seq, m]));
      const found = answer.messages.map((m) => merged(known.get(m.seq), m));
      latest = Math.max(latest, found.at(-1)?.seq ?? 0);
      if (which === "newest") {
        const end = found.at(-1)?.seq ?? 0;
        // Messages that arrived since are newer than the answer.
        const rest = newer() ? [] : all.messages.filter((m) => m.seq > end);
        set({ messages: [...found, ...rest], waiting: answer.waiting.filter((m) => !thread || m.thread === thread || m.replyTo === thread) });
        setOlder(answer.more);
        setNewer(false);
      } else if (which === "older") {
        const kept = [...found.filter((m) => m.seq < first()), ...all.messages];
        set("messages", kept.slice(0, most));
        setOlder(answer.more);
        if (kept.length > most) setNewer(true);
      } else {
        const kept = [...all.messages, ...found.filter((m) => m.seq > last())];
        set("messages", kept.slice(-most));
        if (kept.length > most) setOlder(true);
        setNewer(answer.more || latest > (kept.at(-1)?.seq ?? 0));
      }
      setError("");
      setReady(true);
    } catch (failure) {
      if (mine === turn) setError(messageOf(failure));
    } finally {
      if (mine === turn) setBusy("");
    }
  }

  const belongs = (m: RoomMessage) => m.roomId === roomId && (!thread || m.seq === thread || m.thread === thread || m.replyTo === thread);

  function take(message: RoomMessage): void {
    if (!belongs(message)) return;
    const waits = all.waiting.findIndex((m) => m.id === message.id);
    if (message.waiting) {
      if (waits < 0 && !all.messages.some((m) => m.id === message.id)) set("waiting", (now) => [...now, message].slice(-200));
      return;
    }
    if (waits >= 0) set("waiting", (now) => now.filter((m) => m.id !== message.id));
    latest = Math.max(latest, message.seq);
    if (newer() || all.messages.some((m) => m.seq === message.seq)) return;
    const at = all.messages.findLastIndex((m) => m.seq < message.seq) + 1;
    const next = [...all.messages.slice(0, at), message, ...all.messages.slice(at)];
    listener(message);
    if (next.length <= most) set("messages", next);
    else if (follows()) {
      set("messages", next.slice(-most));
      setOlder(true);
    } else setNewer(true); // it is loaded when the user scrolls there
  }

  function hear(r: RoomReceipt): void {
    if (r.roomId !== roomId) return;
    set(
      "messages",
      produce((messages) => {
        for (const m of messages) {
          if (m.seq < r.fromSeq || m.seq > r.toSeq || m.from.memberId === r.memberId) continue;
          const at = m.receipts.findIndex((one) => one.memberId === r.memberId);
          const next = { memberId: r.memberId, nick: r.nick, state: r.state, at: r.at, reply: r.reply, reason: r.reason };
          const was = m.receipts[at];
          if (was && further(next, was)) m.receipts[at] = next;
        }
      }),
    );
  }

  onCleanup(
    host.onGlobal((event) => {
      if (event.event === "room.message") take(event.payload.message);
      else if (event.event === "room.receipt") hear(event.payload);
    }),
  );
  onCleanup(() => turn++);

  return {
    messages: () => all.messages,
    waiting: () => all.waiting,
    older,
    newer,
    error,
    ready,
    busy,
    last,
    take,
    newest: () => read("newest"),
    readOlder: () => (older() && busy() === "" ? read("older") : Promise.resolve()),
    readNewer: () => (newer() && busy() === "" ? read("newer") : Promise.resolve()),
    /** Sets a callback for new messages, called before they are shown, and a function that reports whether the view is
     * at the newest ones. */
    follow(tell: (message: RoomMessage) => void, at: () => boolean) {
      listener = tell;
      follows = at;
    },
  };
}

export type Conversation = ReturnType<typeof createConversation>;
