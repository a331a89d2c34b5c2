// The rooms page: the current view, and the user's actions.

import { createEffect, createMemo, createSignal } from "solid-js";
import type { Room, RoomMember, RoomRules } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { text } from "../../i18n";
import { saveFile } from "../../host/save-file";
import type { App } from "../../store/context";
import { createRooms } from "./list";

/** The side panel beside the messages. */
export type Side = { kind: "members" } | { kind: "settings" } | { kind: "thread"; seq: number; write: boolean } | null;

/** An action that needs confirmation. */
export type Question = { kind: "kick"; member: RoomMember } | { kind: "delete" } | null;

export type Drafts = Map<string, string>;

export function createRoomsModel(app: App, drafts: Drafts, begin = "", wide = () => true) {
  const { host, actions } = app;
  const rooms = createRooms();
  const [chosen, setChosen] = createSignal(begin);
  const [creating, setCreating] = createSignal(false);
  const [side, setSide] = createSignal<Side>(wide() ? { kind: "members" } : null);
  const [problem, setProblem] = createSignal("");
  const [said, setSaid] = createSignal("");
  const [question, setQuestion] = createSignal<Question>(null);
  /** A room that was just created or opened and is not in the list yet. */
  const [fresh, setFresh] = createSignal<Room | null>(null);

  /** A room that was deleted here and may still be in the list. */
  const [removed, setRemoved] = createSignal("");

  const list = createMemo((): readonly Room[] => {
    const known = (rooms.answer()?.rooms ?? []).filter((r) => r.id !== removed());
    const one = fresh();
    return one && !known.some((r) => r.id === one.id) ? [one, ...known] : known;
  });
  const current = createMemo((): Room | null => list().find((r) => r.id === chosen()) ?? null);
  // Initially the room with the newest message. It does not change when another room gets a newer one.
  createEffect(() => chosen() === "" && setChosen(list()[0]?.id ?? ""));
  const me = () => rooms.answer()?.memberId ?? "";

  async function attempt<T>(what: Promise<T>, done = ""): Promise<T | null> {
    setProblem("");
    setSaid("");
    try {
      const answer = await what;
      setSaid(done);
      rooms.again();
      return answer;
    } catch (failure) {
      setProblem(messageOf(failure));
      return null;
    }
  }

  function show(id: string): void {
    setProblem("");
    setCreating(false);
    setChosen(id);
    if (side()?.kind !== "members") setSide(wide() ? { kind: "members" } : null);
  }
  function enter(room: Room | null): boolean {
    if (!room) return false;
    setRemoved("");
    setFresh(room);
    show(room.id);
    return true;
  }
  const here = () => current()?.id ?? "";

  return {
    rooms,
    list,
    current,
    me,
    side,
    setSide,
    problem,
    dismiss: () => setProblem(""),
    said,
    creating,
    setCreating,
    question,
    ask: setQuestion,
    show,
    drafts,
    /** Whether the chosen room no longer exists. */
    gone: () => rooms.answer() !== null && chosen() !== "" && current() === null,
    toggle(kind: "members" | "settings") {
      setSide((now) => (now?.kind === kind ? null : { kind }));
    },
    openSession: (sessionId: string) => actions.open(sessionId),
    create: async (name: string) => enter(await attempt(host.call("room.create", { name }))),
    direct: async (sessionId: string) => enter(await attempt(host.call("room.direct", { sessionId }))),
    add: (sessionId: string) => attempt(host.call("room.addMember", { roomId: here(), sessionId })),
    mute: (member: RoomMember, muted: boolean) => attempt(host.call("room.mute", { roomId: here(), memberId: member.id, muted })),
    wake: (member: RoomMember, wake: string) => attempt(host.call("room.setWake", { roomId: here(), memberId: member.id, wake })),
    kick: (member: RoomMember) => attempt(host.call("room.removeMember", { roomId: here(), memberId: member.id })),
    admit: (member: RoomMember) => attempt(host.call("room.allowMember", { roomId: here(), memberId: member.id })),
    pin: (pinned: boolean) => attempt(host.call("room.pin", { roomId: here(), pinned }), pinned ? text().rooms.room.pinnedNow : text().rooms.room.unpinnedNow),
    setRules: (rules: RoomRules) => attempt(host.call("room.setRules", { roomId: here(), rules }), text().rooms.rules.saved),
    async remove() {
      const id = here();
      if (!(await attempt(host.call("room.delete", { roomId: id })))) return;
      setFresh(null);
      setRemoved(id);
      if (chosen() === id) setChosen(list().find((r) => r.id !== id)?.id ?? "");
      setSide(wide() ? { kind: "members" } : null);
    },
    async save(format: "markdown" | "json") {
      const words = text().rooms.export;
      const made = await attempt(host.call("room.export", { roomId: here(), format }));
      if (!made) return;
      const path = await attempt(saveFile(host, made.name, format === "json" ? "application/x-ndjson" : "text/markdown", made.text).then((where) => ({ where })));
      if (!path || path.where === null) return;
      setSaid([path.where ? words.saved(path.where) : words.done, made.truncated ? words.truncated : ""].filter(Boolean).join(" "));
    },
  };
}

export type RoomsModel = ReturnType<typeof createRoomsModel>;
