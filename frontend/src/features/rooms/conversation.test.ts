import { createRoot } from "solid-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { ada, nightly, receipt, said, uploads } from "../../../gallery/rooms";
import type { RoomMessage } from "../../host/border.gen";
import { createFakeHost, type Handlers } from "../../host/fake";
import { HostError } from "../../host/host";
import { type Conversation, createConversation, most } from "./conversation";

const one = (seq: number, change: Partial<RoomMessage> = {}) => said(seq, uploads, `message ${seq}`, { receipts: [receipt(ada, "accepted"), receipt(nightly, "accepted")], ...change });

/** A room with this many messages, opened. */
function open(count: number, change: Handlers = {}, thread = 0) {
  const known = Array.from({ length: count }, (_, i) => one(i + 1));
  const host = createFakeHost({
    "room.messages": ({ before, after, limit = 50 }) => {
      const found = known.filter((m) => (before === undefined || m.seq < before) && (after === undefined || m.seq > after));
      return { messages: structuredClone(after === undefined ? found.slice(-limit) : found.slice(0, limit)), more: found.length > limit, waiting: [] };
    },
    ...change,
  });
  let conversation!: Conversation;
  createRoot((dispose) => {
    onTestFinished(dispose);
    conversation = createConversation(host, "r-release", thread);
  });
  const say = (message: RoomMessage) => host.emitGlobal({ event: "room.message", payload: { message, forPerson: false, at: 0 } as never });
  const hear = (fromSeq: number, toSeq: number, who: typeof ada, state: string, at: number) =>
    host.emitGlobal({ event: "room.receipt", payload: { roomId: "r-release", fromSeq, toSeq, ...receipt(who, state, { at }) } as never });
  return { host, known, conversation, say, hear, seqs: () => conversation.messages().map((m) => m.seq) };
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("a conversation", () => {
  it("is read in both directions and bounded", async () => {
    const { conversation, known, say, seqs } = open(520);
    await conversation.newest();
    expect(seqs()).toEqual(range(471, 520));
    for (let n = 0; n < 8; n++) await conversation.readOlder();
    expect(seqs()).toEqual(range(71, 470));
    expect([conversation.older(), conversation.newer()]).toEqual([true, true]);
    // New messages are loaded when the user scrolls there.
    known.push(one(521));
    say(one(521));
    expect(seqs()).toEqual(range(71, 470));
    await conversation.readNewer();
    await conversation.readNewer();
    expect(seqs()).toEqual(range(122, 521));
    expect(conversation.newer()).toBe(false);
    expect(seqs().length).toBe(most);
  });

  it("has what comes each once and in order, and lets the oldest go for it", async () => {
    const { conversation, say, seqs } = open(0);
    await conversation.newest();
    for (const seq of [3, 1, 2, 2, 3]) say(one(seq));
    say(one(4, { roomId: "r-parser" }));
    expect(seqs()).toEqual([1, 2, 3]);
    for (const seq of range(4, most + 10)) say(one(seq));
    expect(seqs()).toEqual(range(11, most + 10));
    expect(conversation.older()).toBe(true);
  });

  it("does not take away what the user looks at for what comes", async () => {
    const { conversation, say, seqs } = open(most);
    await conversation.newest();
    while (conversation.older()) await conversation.readOlder();
    conversation.follow(() => {}, () => false);
    say(one(most + 1));
    expect(seqs()).toEqual(range(1, most));
    expect(conversation.newer()).toBe(true);
  });

  it("keeps what comes while it is read, and what it was told of receipts", async () => {
    let answer: (() => void) | undefined;
    const { conversation, say, hear, seqs } = open(0, {
      "room.messages": () =>
        new Promise((resolve) => {
          answer = () => resolve({ messages: [one(1), one(2)], more: false, waiting: [] });
        }),
    });
    const first = conversation.newest();
    say(one(2));
    say(one(3));
    hear(1, 2, ada, "answered", 5);
    answer?.();
    await first;
    expect(seqs()).toEqual([1, 2, 3]);
    expect(conversation.messages()[1]?.receipts[0]?.state).toBe("answered");
  });

  it("has receipts that go forward, of those who did not say it", async () => {
    const { conversation, hear } = open(3);
    await conversation.newest();
    const states = (seq: number) => conversation.messages().find((m) => m.seq === seq)?.receipts.map((r) => r.state);
    hear(2, 3, ada, "read", 10);
    hear(1, 9, uploads, "answered", 10);
    expect([states(1), states(2), states(3)]).toEqual([["accepted", "accepted"], ["read", "accepted"], ["read", "accepted"]]);
    hear(2, 2, ada, "delivered", 9);
    expect(states(2)).toEqual(["read", "accepted"]);
    // A failed delivery is retried.
    hear(2, 2, ada, "failed", 11);
    hear(3, 3, ada, "answered", 12);
    hear(2, 2, ada, "delivered", 13);
    expect([states(2), states(3)]).toEqual([["delivered", "accepted"], ["answered", "accepted"]]);
  });

  it("shows what waits for the connection once, and then where it belongs", async () => {
    const { conversation, say, seqs } = open(1);
    await conversation.newest();
    const waiting = one(0, { id: "mine", waiting: true });
    say(waiting);
    say(waiting);
    expect(conversation.waiting().map((m) => m.id)).toEqual(["mine"]);
    say(one(2, { id: "mine" }));
    expect(conversation.waiting()).toEqual([]);
    say(waiting);
    expect([conversation.waiting().length, seqs()]).toEqual([0, [1, 2]]);
  });

  it("of a thread has that thread only", async () => {
    const { host, conversation, say, seqs } = open(1, {}, 1);
    await conversation.newest();
    say(one(2));
    say(one(3, { thread: 1, replyTo: 1 }));
    expect(seqs()).toEqual([1, 3]);
    expect(host.callsOf("room.messages")).toEqual([{ roomId: "r-release", limit: 50, thread: 1 }]);
  });

  it("says why it could not be read, and reads it again", async () => {
    const { host, conversation, seqs } = open(0, {
      "room.messages": () => {
        throw new HostError("unavailable", "The disk is full.");
      },
    });
    await conversation.newest();
    expect(conversation.error()).toBe("The disk is full.");
    host.on("room.messages", () => ({ messages: [one(1)], more: false, waiting: [] }));
    await conversation.newest();
    expect([conversation.error(), seqs()]).toEqual(["", [1]]);
  });
});
