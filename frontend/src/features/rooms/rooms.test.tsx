import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ada, hostile, member, messages, nightly, receipt, room, roomHandlers, roomList, rooms, said, uploads } from "../../../gallery/rooms";
import { session } from "../../../gallery/fixtures";
import type { RoomMessage } from "../../host/border.gen";
import { createFakeHost, type FakeHost, type Handlers } from "../../host/fake";
import { HostError } from "../../host/host";
import { useApp } from "../../store/context";
import { renderApp } from "../../test/render";
import { followMentions } from "./notify";
import { RoomsPlace, RoomsPage } from "./RoomsPlace";
import { RoomsLine } from "./RoomsLine";

beforeEach(() => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  window.innerWidth = 1200;
});

const fake = (change: Handlers = {}) =>
  createFakeHost({
    "session.list": () => ({ sessions: [session("s7", { title: "Port the settings page" })], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    ...roomHandlers(change),
  });

async function show(change: Handlers = {}, begin = ""): Promise<FakeHost> {
  const host = fake(change);
  await renderApp(host, () => <RoomsPage drafts={new Map()} room={begin} />);
  return host;
}
const log = () => screen.getByRole("log", { name: /^Messages in #/ });
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: /^Message to/ });
const write = (words: string, at = box()) => fireEvent.input(at, { target: { value: words } });
const enter = (init: KeyboardEventInit = {}, at = box()) => fireEvent.keyDown(at, { key: "Enter", ...init });
const say = (host: FakeHost, message: RoomMessage, forPerson = false) => host.emitGlobal({ event: "room.message", payload: { message, forPerson, at: 0 } as never });

describe("the list", () => {
  it("says what is new in each room, and what is for the user", async () => {
    await show();
    expect(await screen.findByRole("button", { name: "#release, pinned" })).toHaveAttribute("aria-current", "page");
    expect(screen.getByRole("button", { name: "#parser, 1 for you, 4 new messages" })).toBeInTheDocument();
    expect(screen.getByText("Connected to nats.example.org")).toBeInTheDocument();
  });

  it("says that it is not connected, why, and what waits", async () => {
    await show({ "room.list": () => roomList({ connection: { kind: "nats", server: "nats.example.org", connected: false, problem: "The server does not answer.", waiting: 2 } }) });
    expect(await screen.findByText(/Can’t reach nats\.example\.org.*The server does not answer\./)).toBeInTheDocument();
    expect(screen.getByText(/2 messages wait/)).toBeInTheDocument();
  });

  it("keeps the room that is shown when there is a newer one, and says when it is gone", async () => {
    let list = rooms;
    const host = await show({ "room.list": () => roomList({ rooms: list }) });
    await screen.findByRole("heading", { name: "#release" });
    list = [rooms[1] ?? room("x", "x"), rooms[0] ?? room("x", "x")];
    host.emitGlobal({ event: "room.changed", payload: { roomId: "r-parser", deleted: false } as never });
    await waitFor(() => expect(screen.getAllByRole("button", { name: /^#/ })[0]).toHaveAccessibleName(/parser/));
    expect(screen.getByRole("heading", { name: "#release" })).toBeInTheDocument();
    list = list.slice(0, 1);
    host.emitGlobal({ event: "room.changed", payload: { roomId: "r-release", deleted: true } as never });
    expect(await screen.findByText("This room no longer exists.")).toBeInTheDocument();
  });

  it("makes a room and shows it", async () => {
    const host = await show({ "room.list": () => roomList({ rooms: [] }) });
    write(" #lobby ", await screen.findByRole("textbox", { name: "Name" }));
    fireEvent.click(screen.getByRole("button", { name: "Create room" }));
    expect(await screen.findByRole("heading", { name: "#lobby" })).toBeInTheDocument();
    expect(host.callsOf("room.create")).toEqual([{ name: "lobby" }]);
    expect(await screen.findByText("No messages yet.")).toBeInTheDocument();
  });

  it("is read again a few times a second at most", async () => {
    const host = await show();
    await screen.findByRole("heading", { name: "#release" });
    const before = host.callsOf("room.list").length;
    for (let seq = 100; seq < 200; seq++) say(host, said(seq, uploads, `${seq}`, { roomId: "r-parser" }));
    await waitFor(() => expect(host.callsOf("room.list").length).toBe(before + 1));
  });
});

describe("what was said", () => {
  it("is grouped by day and sender, live and in order, each once", async () => {
    const host = await show();
    await within(await screen.findByRole("log")).findByText("They pass.");
    say(host, said(41, nightly, "second", { at: Date.now() }));
    say(host, said(40, nightly, "first", { at: Date.now() }));
    say(host, said(41, nightly, "second", { at: Date.now() }));
    say(host, said(42, nightly, "elsewhere", { roomId: "r-parser" }));
    const rows = await waitFor(() => {
      const all = [...log().querySelectorAll("[data-seq]")];
      expect(all.slice(-2).map((row) => row.querySelector('[data-slot="text"]')?.textContent?.trim())).toEqual(["first", "second"]);
      return all;
    });
    expect(rows.map((row) => Number(row.getAttribute("data-seq")))).toEqual([...messages.map((m) => m.seq), 40, 41]);
    expect(rows.at(-1)).not.toHaveAttribute("data-head");
    expect(within(log()).getAllByText(/^Today$|^Yesterday$/).length).toBeGreaterThan(0);
    expect(screen.queryByText("elsewhere")).not.toBeInTheDocument();
    // Only messages that were unread when the room was opened are below the line.
    expect(within(log()).getAllByText("New")).toHaveLength(1);
  });

  it("has receipts that complete, and who has come how far", async () => {
    const host = await show();
    const mine = (await screen.findByText("Nobody, unless all of them fail. And yes.")).closest("article") ?? document.body;
    expect(within(mine).getByRole("button", { name: /^Read by 1 of 3/ })).toHaveAttribute("aria-expanded", "false");
    fireEvent.click(within(mine).getByRole("button", { name: /^Read by 1 of 3/ }));
    const lines = () => within(within(mine).getByRole("list", { name: "Receipts by member" })).getAllByRole("listitem").map((item) => item.textContent?.replace(/\d.*/, ""));
    expect(lines()).toEqual(["uploadsRead", "nightlyDelivered", "reviewerDelivered"]);
    const hear = (who: typeof ada, state: string, at: number) =>
      host.emitGlobal({ event: "room.receipt", payload: { roomId: "r-release", fromSeq: 34, toSeq: 38, ...receipt(who, state, { at }) } as never });
    hear(uploads, "answered", Date.now());
    hear(nightly, "answered", Date.now());
    // A receipt older than the known one changes nothing.
    hear(nightly, "read", 5);
    hear(member("far-1", "reviewer"), "answered", Date.now());
    await within(mine).findByRole("button", { name: /^Answered\./ });
    expect(lines()).toEqual(["uploadsAnswered", "nightlyAnswered", "reviewerAnswered"]);
  });

  it("has more before it when asked", async () => {
    const known = Array.from({ length: 70 }, (_, i) => said(i + 1, ada, `message ${i + 1}`, { at: Date.now() - (70 - i) * 1000 }));
    const host = await show({
      "room.messages": ({ before, limit = 50 }) => {
        const found = known.filter((m) => before === undefined || m.seq < before);
        return { messages: found.slice(-limit), more: found.length > limit, waiting: [] };
      },
    });
    await screen.findByText("message 70");
    expect(screen.queryByText("message 20")).not.toBeInTheDocument();
    fireEvent.click(screen.getByText("Earlier messages"));
    await screen.findByText("message 1");
    expect(host.callsOf("room.messages")).toEqual([{ roomId: "r-release", limit: 50 }, { roomId: "r-release", limit: 50, before: 21 }]);
    expect(screen.queryByText("Earlier messages")).not.toBeInTheDocument();
  });

  it("stays where it is while the user looks at something else, and counts what is below", async () => {
    const host = await show();
    await within(await screen.findByRole("log")).findByText("They pass.");
    const scroller = log();
    Object.defineProperties(scroller, { scrollHeight: { value: 2000, configurable: true }, clientHeight: { value: 400, configurable: true } });
    say(host, said(49, nightly, "the first", { at: Date.now() }));
    await screen.findByText("the first");
    // What was added has grown before the browser tells of the scroll to its end.
    Object.defineProperty(scroller, "scrollHeight", { value: 2600, configurable: true });
    fireEvent.scroll(scroller);
    expect(screen.queryByRole("button", { name: "Jump to latest" })).not.toBeInTheDocument();
    Object.defineProperty(scroller, "scrollHeight", { value: 2000, configurable: true });
    scroller.scrollTop = 700;
    fireEvent.scroll(scroller);
    expect(screen.getByRole("button", { name: "Jump to latest" })).toBeInTheDocument();
    say(host, said(50, nightly, "one more", { at: Date.now() }));
    say(host, said(51, ada, "mine", { at: Date.now() }));
    const pill = await screen.findByRole("button", { name: "1 new message below" });
    expect(scroller.scrollTop).toBe(700);
    fireEvent.click(pill);
    await waitFor(() => expect(scroller.scrollTop).toBe(2000));
    expect(screen.queryByRole("button", { name: /below/ })).not.toBeInTheDocument();
  });

  it("is noted as seen while the user looks, not else", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const focus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    const host = await show();
    await within(await screen.findByRole("log")).findByText("They pass.");
    await vi.advanceTimersByTimeAsync(5000);
    expect(host.callsOf("room.markRead")).toEqual([]);
    focus.mockReturnValue(true);
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => expect(host.callsOf("room.markRead")).toEqual([{ roomId: "r-release", seq: 38 }]));
  });

  it("is shown to those who listen in one piece, not each", async () => {
    const host = await show();
    await within(await screen.findByRole("log")).findByText("They pass.");
    vi.useFakeTimers();
    for (let seq = 60; seq < 90; seq++) say(host, said(seq, uploads, `word ${seq}`, { at: Date.now() }));
    vi.advanceTimersByTime(2100);
    expect(document.querySelector('[data-slot="announcer"]')).toHaveTextContent("30 new messages");
    say(host, said(91, uploads, "the last word", { at: Date.now() }));
    vi.advanceTimersByTime(2100);
    expect(document.querySelector('[data-slot="announcer"]')).toHaveTextContent("uploads: the last word");
    vi.useRealTimers();
    expect(log()).toHaveAttribute("aria-live", "off");
  });

  it("does no harm, whatever names and texts hold", async () => {
    const list = roomList({ rooms: [room("r-1", "\u202eroom<b>", { members: [ada, member("far-2", "x\u202e<i>", { title: "<img src=x>", host: "\u2066h" })] })] });
    await show({ "room.list": () => list, "room.messages": () => ({ messages: hostile, more: false, waiting: [] }) });
    const area = await screen.findByRole("log");
    await within(area).findByText(/<b>plain<\/b> ⟨U\+202E⟩tfel ⟨U\+0000⟩@ada/);
    const page = document.querySelector('[data-component="rooms"]') as HTMLElement;
    for (const button of within(area).getAllByRole("button", { name: /Show details/ })) fireEvent.click(button);
    for (const button of page.querySelectorAll<HTMLElement>('[data-slot="member"]')) fireEvent.click(button);
    expect(page.querySelector("script, [onerror], iframe, [href^='javascript']")).toBeNull();
    expect([...page.querySelectorAll("img")].filter((img) => !img.closest("svg"))).toEqual([]);
    // eslint-disable-next-line no-control-regex, no-misleading-character-class
    const all = [page.textContent ?? "", ...[...page.querySelectorAll("*")].flatMap((el) => [...el.attributes].map((a) => a.value))].join("\n");
    for (const hidden of ["\u202e", "\u2066", "\u0000", "\u0007"]) expect(all.includes(hidden)).toBe(false);
    expect(page.textContent).toContain("ada⟨U+202E⟩⟨U+2066⟩");
    for (const nick of page.querySelectorAll('[data-slot="sender"] strong, [data-slot="nick"]')) expect(nick.closest("bdi") ?? nick.querySelector("bdi")).not.toBeNull();
  });
});

describe("writing", () => {
  it("sends with Enter, not with Shift, nor while an input method composes", async () => {
    const host = await show();
    await within(await screen.findByRole("log")).findByText("They pass.");
    write("hello there");
    enter({ shiftKey: true });
    enter({ isComposing: true });
    enter({ keyCode: 229 } as KeyboardEventInit);
    expect(host.callsOf("room.post")).toEqual([]);
    enter();
    await waitFor(() => expect(box().value).toBe(""));
    expect(host.callsOf("room.post")).toEqual([{ roomId: "r-release", text: "hello there", messageId: expect.any(String) }]);
    expect(await within(log()).findByText("hello there")).toBeInTheDocument();
  });

  it("keeps what was refused, says why, and says it again as the same message", async () => {
    let tries = 0;
    const host = await show({
      "room.post": ({ text, messageId = "" }) => {
        if (tries++ === 0) throw new HostError("busy", "That is too fast: 10 messages a second.");
        return { message: said(60, ada, text, { id: messageId, at: Date.now() }) };
      },
    });
    await within(await screen.findByRole("log")).findByText("They pass.");
    write("in a hurry");
    enter();
    expect(await screen.findByRole("alert")).toHaveTextContent("That is too fast: 10 messages a second.");
    expect(box().value).toBe("in a hurry");
    enter();
    await waitFor(() => expect(box().value).toBe(""));
    const [first, second] = host.callsOf("room.post");
    expect(second?.messageId).toBe(first?.messageId);
  });

  it("says that a message is too long before it is sent", async () => {
    const host = await show();
    await within(await screen.findByRole("log")).findByText("They pass.");
    write("ä".repeat(32_768));
    expect(screen.getByRole("button", { name: "Send" })).toBeEnabled();
    write("ä".repeat(32_768) + ".");
    expect(screen.getByText(/The limit is 66 KB/)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Send" })).toBeDisabled();
    enter();
    expect(host.callsOf("room.post")).toEqual([]);
  });

  it("completes nicknames with the keyboard", async () => {
    await show();
    await within(await screen.findByRole("log")).findByText("They pass.");
    write("mail a@b");
    expect(screen.queryByRole("listbox")).not.toBeInTheDocument();
    write("ask @");
    const names = () => within(screen.getByRole("listbox", { name: "Members to mention" })).getAllByRole("option").map((o) => o.querySelector("bdi")?.textContent);
    expect(names()).toEqual(["@uploads", "@nightly", "@grace", "@reviewer", "@notes", "@all"]);
    write("ask @AL");
    expect(names()).toEqual(["@all"]);
    write("ask @n");
    expect(names()).toEqual(["@nightly", "@notes"]);
    fireEvent.keyDown(box(), { key: "ArrowDown" });
    expect(box()).toHaveAttribute("aria-activedescendant", screen.getAllByRole("option")[1]?.id);
    enter();
    expect(box().value).toBe("ask @notes ");
    expect(screen.queryByRole("listbox")).not.toBeInTheDocument();
  });

  it("answers in a thread", async () => {
    const host = await show();
    const first = (await within(await screen.findByRole("log")).findByText("Morning. 2.4 is cut on Friday; what is still open?", { selector: "p" })).closest("article") ?? document.body;
    fireEvent.click(within(first).getByRole("button", { name: "Reply to grace" }));
    const thread = await screen.findByRole("complementary", { name: "Thread" });
    await within(thread).findByText(/The retry of uploads/);
    expect(within(thread).queryByText("They pass.")).not.toBeInTheDocument();
    const reply = within(thread).getByRole<HTMLTextAreaElement>("textbox");
    write("Nothing else.", reply);
    enter({}, reply);
    await within(thread).findByText("Nothing else.");
    expect(host.callsOf("room.post")[0]).toMatchObject({ replyTo: 11 });
    fireEvent.keyDown(reply, { key: "Escape" });
    expect(screen.queryByRole("complementary", { name: "Thread" })).not.toBeInTheDocument();
    expect(box()).toHaveFocus();
  });
});

describe("what a user does with a room", () => {
  it("mutes at once, sends away after a question, and lets back in", async () => {
    const host = await show();
    fireEvent.click(await screen.findByRole("button", { name: /^nightly/ }));
    fireEvent.click(screen.getByRole("button", { name: "Mute" }));
    await waitFor(() => expect(host.callsOf("room.mute")).toEqual([{ roomId: "r-release", memberId: "s2", muted: true }]));
    fireEvent.click(screen.getByRole("button", { name: "Remove…" }));
    const asked = await screen.findByRole("dialog", { name: "Remove nightly from the room?" });
    expect(host.callsOf("room.removeMember")).toEqual([]);
    fireEvent.click(within(asked).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(host.callsOf("room.removeMember")).toEqual([{ roomId: "r-release", memberId: "s2" }]));
    fireEvent.click(screen.getByRole("button", { name: "Let rejoin: chatter" }));
    await waitFor(() => expect(host.callsOf("room.allowMember")).toEqual([{ roomId: "r-release", memberId: "s9" }]));
  });

  it("adds a session that is not in it", async () => {
    const host = await show();
    fireEvent.click(await screen.findByRole("button", { name: "Add session" }));
    fireEvent.input(await screen.findByRole("searchbox", { name: "Find a session" }), { target: { value: "settings" } });
    fireEvent.click(screen.getByRole("button", { name: "Add “Port the settings page”" }));
    await waitFor(() => expect(host.callsOf("room.addMember")).toEqual([{ roomId: "r-release", sessionId: "s7" }]));
  });

  it("changes the rules, pins, and deletes after a question", async () => {
    const host = await show();
    fireEvent.click(await screen.findByRole("button", { name: /^Pinned/ }));
    await waitFor(() => expect(host.callsOf("room.pin")).toEqual([{ roomId: "r-release", pinned: false }]));
    fireEvent.click(screen.getByRole("button", { name: "Rules, export, and deletion" }));
    fireEvent.click(await screen.findByRole("radio", { name: /^Never/ }));
    const hops = screen.getByRole("spinbutton", { name: "Messages in a row" });
    fireEvent.input(hops, { target: { value: "1001" } });
    expect(screen.getByRole("button", { name: "Save rules" })).toBeDisabled();
    fireEvent.input(hops, { target: { value: "5" } });
    fireEvent.click(screen.getByRole("button", { name: "Save rules" }));
    await waitFor(() => expect(host.callsOf("room.setRules")).toEqual([{ roomId: "r-release", rules: { approval: false, wake: "off", turnsPerHour: 60, maxHops: 5 } }]));
    fireEvent.click(screen.getByRole("button", { name: "Delete room…" }));
    fireEvent.click(within(await screen.findByRole("dialog", { name: "Delete #release?" })).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(host.callsOf("room.delete")).toEqual([{ roomId: "r-release" }]));
    expect(await screen.findByRole("heading", { name: "#parser" })).toBeInTheDocument();
  });

  it("says why the sessions do not continue", async () => {
    const list = (change: Partial<(typeof rooms)[number]>) => roomList({ rooms: [room("r-release", "release", change)] });
    await show({ "room.list": () => list({ rules: { approval: false, wake: "off", turnsPerHour: 0, maxHops: 2 } }), "room.messages": () => ({ messages: messages.slice(0, -1), more: false, waiting: [] }) });
    expect(await screen.findByText(/^Sessions reached the room’s limit of 2 messages in a row/)).toBeInTheDocument();
    document.body.replaceChildren();
    await show({ "room.list": () => list({ turns: 60, limitedUntil: Date.now() + 60_000 }) });
    expect(await screen.findByText(/limit of 60 turns per hour/)).toBeInTheDocument();
  });
});

describe("elsewhere", () => {
  it("the sidebar says what is new, and leads to the rooms", async () => {
    const host = fake();
    const app = await renderApp(host, () => (
      <>
        <RoomsLine />
        <RoomsPlace />
      </>
    ));
    fireEvent.click(await screen.findByRole("button", { name: "Rooms 1 for you" }));
    expect(app.layout.shows("rooms")).toBe(true);
    expect(await screen.findByRole("heading", { name: "Rooms" })).toBeInTheDocument();
  });

  it("a mention notifies who is not looking, unless they are not to be disturbed", async () => {
    const made: { title: string; body?: string }[] = [];
    class Note {
      static permission = "granted";
      constructor(title: string, { body }: { body?: string }) {
        made.push({ title, body });
      }
      close(): void {}
    }
    vi.stubGlobal("Notification", Note);
    const focus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    const host = fake();
    await renderApp(host, () => {
      return <Follow />;
    });
    say(host, said(70, uploads, "@ada look\n<b>"), true);
    say(host, said(71, uploads, "nothing"));
    focus.mockReturnValue(true);
    say(host, said(72, uploads, "@ada seen"), true);
    expect(made).toEqual([{ title: "uploads in a room", body: "@ada look <b>" }]);
    vi.unstubAllGlobals();
  });
});


function Follow() {
  followMentions(useApp(), () => false);
  return <p />;
}
