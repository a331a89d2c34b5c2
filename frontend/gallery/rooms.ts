// Rooms and their messages: made up, the same every time but for the days, which are the last ones.

import type { Receipt, Room, RoomList, RoomMember, RoomMessage, RoomSpeaker } from "../src/host/border.gen";
import { createFakeHost, type FakeHost, type Handlers } from "../src/host/fake";
import { HostError } from "../src/host/host";
import type { PaneScene } from "./panes";
import { click, type, when } from "./press";

const minute = 60_000;
const hour = 60 * minute;
const now = Date.now();

export function member(id: string, nick: string, change: Partial<RoomMember> = {}): RoomMember {
  return {
    id, kind: "session", nick, sessionId: id, title: "", host: "ada-desk", here: true, joinedAt: now - 26 * hour, muted: false, wake: "", state: "idle", deliveredSeq: 0, readSeq: 0, unread: 0, ...change,
  };
}

export const ada = member("p-ada", "ada", { kind: "person", sessionId: "", state: "here" });
export const uploads = member("s1", "uploads", { title: "Retry the upload when the link drops", state: "working" });
export const nightly = member("s2", "nightly", { title: "Why is the nightly build slow?", state: "listening" });
const grace = member("p-grace", "grace", { kind: "person", sessionId: "", host: "grace-laptop", here: false, state: "here" });
const reviewer = member("far-1", "reviewer", { title: "Review what goes into 2.4", host: "grace-laptop", here: false, state: "asking", unread: 3 });
const notes = member("s3", "notes", { title: "Sort the reading notes by topic", state: "closed", muted: true, unread: 12 });

export function room(id: string, name: string, change: Partial<Room> = {}): Room {
  return {
    id, name, kind: "room", createdAt: now - 40 * hour, pinned: false, rules: { approval: false, wake: "mention", turnsPerHour: 60, maxHops: 30 }, members: [ada, uploads, nightly], barred: [],
    lastSeq: 0, lastAt: now, unread: 0, unreadMentions: 0, readSeq: 0, turns: 4, limitedUntil: 0, ...change,
  };
}

export const receipt = (who: RoomMember, state: string, change: Partial<Receipt> = {}): Receipt => ({
  memberId: who.id, nick: who.nick, state, at: state === "accepted" ? 0 : now - 4 * minute, reply: 0, reason: "", ...change,
});

const speaker = ({ id, kind, nick, sessionId, title, host, here }: RoomMember): RoomSpeaker => ({ memberId: id, kind, nick, sessionId, title, host, here });

export function said(seq: number, from: RoomMember, text: string, change: Partial<RoomMessage> = {}): RoomMessage {
  return {
    id: `m${seq}`, roomId: "r-release", seq, at: now - (40 - seq) * minute, from: speaker(from), text, mentions: [], all: false, replyTo: 0, thread: 0, hops: from.kind === "session" ? 1 : 0, waiting: false, receipts: [], ...change,
  };
}

export const messages: RoomMessage[] = [
  said(11, grace, "Morning. 2.4 is cut on Friday; what is still open?", { at: now - 27 * hour, receipts: [receipt(ada, "read"), receipt(uploads, "answered"), receipt(nightly, "read")] }),
  said(12, uploads, "The retry of uploads. Three things are left:\n\n1. a part that arrives twice\n2. the **pause** between two tries\n3. the test with a slow link, `TestSlowLink`\n\n@nightly, does the build run that one?", {
    at: now - 26.9 * hour, mentions: ["s2"], replyTo: 11, thread: 11, receipts: [receipt(ada, "read"), receipt(grace, "read"), receipt(nightly, "answered")],
  }),
  said(13, nightly, "It does, in 41 s:\n\n```go\nfunc TestSlowLink(t *testing.T) {\n\tlink := slow(t, 64<<10)\n```\n\nMost of that is waiting.", { at: now - 26.8 * hour, replyTo: 12, thread: 11, receipts: [receipt(ada, "read"), receipt(uploads, "answered")] }),
  said(31, ada, "@uploads how far are you?", { mentions: ["s1"], receipts: [receipt(uploads, "answered"), receipt(nightly, "delivered"), receipt(grace, "accepted")] }),
  said(33, uploads, "Done but for the pause between two tries: it waits twice as long each time, up to 30 s. I send the change to @reviewer when the tests pass.", { hops: 1, mentions: ["far-1"], receipts: [receipt(ada, "accepted"), receipt(reviewer, "delivered")] }),
  said(34, uploads, "They pass.", { hops: 1, receipts: [receipt(ada, "accepted")] }),
  said(36, reviewer, "@ada two questions before I can say yes:\n\n- Who sees that a try failed?\n- May the pause be *shorter* than a second?", { hops: 2, mentions: ["p-ada"], receipts: [receipt(ada, "accepted"), receipt(uploads, "failed", { reason: "The turn was interrupted." })] }),
  said(38, ada, "Nobody, unless all of them fail. And yes.", { receipts: [receipt(uploads, "read"), receipt(nightly, "delivered"), receipt(reviewer, "delivered")] }),
];

const all = [ada, uploads, nightly, grace, reviewer, notes];

export const rooms: Room[] = [
  room("r-release", "release", { pinned: true, members: all, barred: [member("s9", "chatter", { state: "away" })], lastSeq: 38, readSeq: 33 }),
  room("r-parser", "parser", { unread: 4, unreadMentions: 1, lastSeq: 80, readSeq: 76, lastAt: now - hour }),
  room("r-reading", "reading notes", { unread: 12, lastSeq: 12, lastAt: now - 5 * hour, members: [ada, notes] }),
  room("d-1", "", { kind: "direct", members: [ada, uploads], lastAt: now - 30 * hour }),
];

export const roomList = (change: Partial<RoomList> = {}): RoomList => ({
  rooms, nick: "ada", memberId: "p-ada", connection: { kind: "nats", server: "nats.example.org", connected: true, problem: "", waiting: 0 }, ...change,
});

/** Rooms that work, as far as the page needs it. */
export function roomHandlers(change: Handlers = {}): Handlers {
  const known = structuredClone(messages);
  let next = 40;
  const one = ({ roomId }: { roomId: string }) => rooms.find((r) => r.id === roomId) ?? room(roomId, "new");
  return {
    "room.list": () => roomList(),
    "room.get": one,
    "room.messages": ({ roomId, before, after, thread, limit = 50 }) => {
      const found = known.filter((m) => m.roomId === roomId && (!thread || m.seq === thread || m.thread === thread) && (before === undefined || m.seq < before) && (after === undefined || m.seq > after));
      return { messages: after === undefined ? found.slice(-limit) : found.slice(0, limit), more: found.length > limit, waiting: [] };
    },
    "room.post": ({ roomId, text, replyTo = 0, messageId = "" }) => {
      const message = said(next++, ada, text, { id: messageId, roomId, replyTo, thread: replyTo, at: Date.now(), receipts: [receipt(uploads, "accepted"), receipt(nightly, "accepted")] });
      known.push(message);
      return { message };
    },
    "room.markRead": () => ({}),
    "room.create": ({ name }) => room("r-new", name, { members: [] }),
    "room.direct": () => one({ roomId: "d-1" }),
    "room.addMember": one,
    "room.mute": one,
    "room.setWake": one,
    "room.removeMember": one,
    "room.allowMember": one,
    "room.pin": one,
    "room.setRules": one,
    "room.delete": () => ({}),
    "room.export": ({ format }) => ({ name: format === "json" ? "release.jsonl" : "release.md", text: "# release\n", truncated: false }),
    ...change,
  };
}

/** Names and texts of a user who imitates something else. */
const mallory = member("far-2", "ada\u202e\u2066", { title: "<img src=x onerror=alert(1)>", host: "\u202etsoh", here: false });
export const hostile: RoomMessage[] = [
  said(1, mallory, "<script>alert(1)</script><img src=x onerror=alert(1)> **bold** [x](javascript:alert(1)) \u202egnp.exe \u0007\u200b", { receipts: [receipt(mallory, "failed", { reason: "<b>no</b>\u202e" })] }),
  said(2, member("p-eve", "eve", { kind: "person", sessionId: "", here: false, host: "<b>host</b>" }), "<b>plain</b> \u202etfel \u0000@ada", { mentions: ["p-ada"] }),
];

/** The page of the rooms in every state. */
export function roomScenes(handlers: (change?: Handlers) => Handlers): Record<string, () => PaneScene> {
  const page = (change: Handlers, begin: (host: FakeHost) => void = () => {}) => (): PaneScene => {
    const host = createFakeHost(handlers(roomHandlers(change)));
    return {
      host,
      open: "s1",
      begin: (app) => {
        app.layout.go({ kind: "rooms" });
        begin(host);
      },
    };
  };
  const listed = (change: Partial<Room>, connection: Partial<RoomList["connection"]> = {}): Handlers => ({
    "room.list": () => roomList({ rooms: rooms.map((r, i) => (i === 0 ? { ...r, ...change } : r)), connection: { ...roomList().connection, ...connection } }),
  });
  const box = '[data-component="room"] [data-slot="say"] textarea';
  return {
    rooms: page({}),
    roomsNone: page({ "room.list": () => roomList({ rooms: [], connection: { kind: "embedded", server: "", connected: true, problem: "", waiting: 0 } }) }),
    roomsFailed: page({
      "room.list": () => {
        throw new HostError("unavailable", "The disk is full. Free some space and try again.");
      },
    }),
    roomsThread: page({}, () => click('[data-slot="quote"]')),
    roomsRules: page(listed({ limitedUntil: now + 20 * minute, turns: 60 }), () => click('[data-component="room"] button', "Rules")),
    roomsMember: page({}, () =>
      when('[data-slot="member"]', () => {
        click('[data-slot="member"]', "uploads");
        click('[data-slot="message"][data-mine] [data-slot="receipts"]');
        type(box, "Thanks, @");
      }),
    ),
    roomsOffline: page(
      {
        ...listed({}, { connected: false, problem: "The NATS server nats.example.org cannot be reached. Messages are delivered later.", waiting: 1 }),
        "room.messages": () => ({ messages, more: true, waiting: [said(0, ada, "I write this while the line is dead.", { waiting: true, at: now })] }),
        "room.post": () => {
          throw new HostError("busy", "Too many messages between sessions are pending. Wait until some are answered.");
        },
      },
      () =>
        when(box, () => {
          type(box, "And this one does not get through.");
          click('[data-component="room"] [data-slot="say"] button');
        }),
    ),
    roomsHostile: page({ ...listed({ members: [ada, mallory] }), "room.messages": () => ({ messages: hostile, more: false, waiting: [] }) }),
  };
}
