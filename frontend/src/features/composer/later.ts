// Prompts that are sent later: heartbeats that run once in the session they were written in.
// The program keeps them, so they outlive the page and Parley.

import { type Accessor, createEffect, createMemo, createSignal, on } from "solid-js";
import type { Heartbeat, Session, Spec } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import { text } from "../../i18n";
import { formatClock } from "../../lib/time";
import type { App } from "../../store/context";
import { createReading } from "../../store/reading";
import { type Conversation, type Draft, emptyDraft } from "../../store/state";
import { afterReset, continued, onceIn, restOf } from "./prompting";

const marked = (sessionId: string) => `send-${restOf(sessionId)}-`;

/** Whether a heartbeat is a prompt for the session, or continues it after a usage limit. */
const isOf = (beat: Heartbeat, sessionId: string) =>
  beat.destination?.session === sessionId && (beat.name.startsWith(marked(sessionId)) || beat.name.startsWith(continued(sessionId)));

/** A time that is offered, and what it is called. */
interface Moment {
  id: "hour" | "evening" | "morning" | "reset";
  at: number;
  name: string;
}

const eveningHour = 18;
const morningHour = 8;

/** When a prompt may be sent: what the clock offers, and the moment after the plan's limit resets, 0 for none. */
export function moments(now: number, resetsAt: number): Moment[] {
  const words = text().composer.later;
  const at = (hour: number, days: number) => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    return day.setHours(hour, 0, 0, 0);
  };
  // The next whole minute, as the schedule has no seconds.
  const hour = Math.ceil(now / 60_000) * 60_000 + 3_600_000;
  const evening = at(eveningHour, 0);
  const morning = at(morningHour, 1);
  const found: Moment[] = [{ id: "hour", at: hour, name: words.hour(formatClock(hour, now)) }];
  if (evening > now) found.push({ id: "evening", at: evening, name: words.at(formatClock(evening, now)) });
  found.push({ id: "morning", at: morning, name: words.morning(formatClock(morning, now)) });
  if (resetsAt > now) found.push({ id: "reset", at: afterReset(resetsAt), name: words.reset(formatClock(resetsAt, now)) });
  return found;
}

/** When the plan's limit that stopped the conversation resets, 0 when none did or it is over. */
function resetOf(conversation: Conversation | undefined, now: number): number {
  if (!conversation) return 0;
  const all = conversation.order.map((id) => conversation.messages[id]?.notice?.resetsAt ?? 0);
  return Math.max(0, conversation.activity?.resetsAt ?? 0, ...all.filter((at) => at > now));
}

/** Why a draft cannot be sent later, "" when it can. */
function whyNotLater(draft: Draft): string {
  const words = text().composer.later;
  if (draft.attachments.length > 0) return words.noFiles;
  // The schedule would put values in their place.
  return /\{\{[ \t]*[^{}\s]*[ \t]*\}\}/u.test(draft.text) ? words.noPlaceholders : "";
}

function specOf(session: Session, prompt: string, at: number): Spec {
  return {
    ...onceIn(session, `${marked(session.id)}${Date.now().toString(36)}`, prompt, at),
    description: text().composer.later.about,
    // Words of yesterday are not said into today's conversation.
    startDeadline: "1h",
    timeout: "4h",
  };
}

/** What becomes of a prompt that was to be sent later. */
export interface Waiting {
  name: string;
  text: string;
  /** When it is, or was, to be sent. */
  at: number;
  state: "waits" | "sending" | "missed";
  /** Why it was not sent. */
  why: string;
}

/** undefined for what was sent. */
function waiting(beat: Heartbeat): Waiting | undefined {
  const { name, prompt, running, last, next } = beat;
  const at = Date.parse(beat.schedule.runAt ?? "") || next;
  const told = { name, text: prompt, at, why: "" };
  // At a usage limit it may have been put off.
  if (!running && beat.state === "idle" && next > 0) return { ...told, state: "waits" };
  // What began has its words in the conversation, and its end too.
  const begun = running ?? last;
  if (begun && begun.startedAt > 0 && begun.sessionId !== "") return undefined;
  if (running) return { ...told, state: "sending" };
  return { ...told, state: "missed", why: last?.reason ?? "" };
}

export interface Later {
  /** Whether the times are offered. */
  open: Accessor<boolean>;
  setOpen(open: boolean): void;
  moments(): readonly Moment[];
  /** Why the draft cannot be sent later, "" when it can. */
  whyNot(): string;
  all: Accessor<readonly Waiting[]>;
  /** Has the draft sent at a time; it leaves the box once that is accepted. */
  schedule(at: number): Promise<void>;
  sendNow(name: string): Promise<void>;
  edit(name: string): Promise<void>;
  cancel(name: string): Promise<void>;
  busy(name: string): boolean;
  /** What was refused; name is "" when it is about the draft. */
  problem: Accessor<{ name: string; message: string } | null>;
}

/** focus goes to the box. Runs inside an owner. */
export function createLater(
  { host, actions, state }: Pick<App, "actions" | "state"> & { host: Host },
  session: Accessor<Session>,
  focus: () => void,
): Later {
  const reading = createReading("heartbeat.list", () => ({}), { globals: ["heartbeats.changed"], settle: 500 });
  const [open, setOpen] = createSignal(false);
  const [pending, setPending] = createSignal<readonly string[]>([]);
  const [problem, setProblem] = createSignal<{ name: string; message: string } | null>(null);
  const own = createMemo(() => (reading.answer()?.heartbeats ?? []).filter((b) => isOf(b, session().id)));
  const all = createMemo(() => own().map(waiting).filter((w) => w !== undefined).toSorted((a, b) => a.at - b.at));

  createEffect(
    on(
      () => session().id,
      () => {
        setOpen(false);
        setProblem(null);
      },
      { defer: true },
    ),
  );

  /** Puts a text into the box of its session, behind what is there. */
  function putBack(sessionId: string, words: string): void {
    const there = state.drafts[sessionId]?.text ?? "";
    actions.setDraftText(sessionId, there.trim() === "" ? words : `${there}\n\n${words}`);
    if (session().id === sessionId) focus();
  }

  async function ask(name: string, call: () => Promise<unknown>): Promise<boolean> {
    if (pending().includes(name)) return false;
    setProblem(null);
    setPending((of) => [...of, name]);
    try {
      await call();
      return true;
    } catch (error) {
      setProblem({ name, message: messageOf(error) });
      return false;
    } finally {
      setPending((of) => of.filter((other) => other !== name));
      void reading.again();
    }
  }

  /** Takes one out of the schedule first, so that it cannot go out twice. */
  async function take(name: string): Promise<string | undefined> {
    const words = all().find((w) => w.name === name && w.state !== "sending")?.text;
    if (words === undefined) return undefined;
    return (await ask(name, () => host.call("heartbeat.delete", { name }))) ? words : undefined;
  }

  /** Those that were sent are of no use in the file any more. */
  function tidy(): void {
    for (const beat of own()) if (!beat.running && !waiting(beat)) void host.call("heartbeat.delete", { name: beat.name }).catch(() => {});
  }

  return {
    open,
    setOpen,
    moments: () => moments(Date.now(), resetOf(state.conversations[session().id], Date.now())),
    whyNot: () => whyNotLater(state.drafts[session().id] ?? emptyDraft()),
    all,
    busy: (name) => pending().includes(name),
    problem,
    async schedule(at) {
      const of = session();
      const draft = state.drafts[of.id];
      if (!draft || draft.sending || draft.text.trim() === "") return;
      const { text: words } = draft;
      if (whyNotLater(draft) || !(await ask("", () => host.call("heartbeat.save", { spec: specOf(of, words, at) })))) return;
      actions.spendDraft(of.id, words, []);
      tidy();
    },
    async sendNow(name) {
      const sessionId = session().id;
      const words = await take(name);
      if (words === undefined) return;
      try {
        await host.call("session.prompt", { sessionId, text: words, promptId: name });
      } catch (error) {
        putBack(sessionId, words);
        if (session().id === sessionId) setProblem({ name: "", message: messageOf(error) });
      }
    },
    async edit(name) {
      const sessionId = session().id;
      const words = await take(name);
      if (words !== undefined) putBack(sessionId, words);
    },
    async cancel(name) {
      await take(name);
    },
  };
}
