// Scheduled prompts: one-time heartbeats in the session they were written in. The program stores them, so they survive
// the page and restarts of Parley.

import { type Accessor, createEffect, createMemo, createSignal, on } from "solid-js";
import type { Heartbeat, Session, Spec } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import { text, translated } from "../../i18n";
import { formatClock } from "../../lib/time";
import type { App } from "../../store/context";
import { createReading } from "../../store/reading";
import { type Conversation, type Draft, emptyDraft } from "../../store/state";
import { afterReset, continued, onceIn, restOf } from "./recovery";

const marked = (sessionId: string) => `send-${restOf(sessionId)}-`;

/** Whether a heartbeat is a prompt for the session, or continues it after a usage limit. */
const isOf = (beat: Heartbeat, sessionId: string) =>
  beat.destination?.session === sessionId && (beat.name.startsWith(marked(sessionId)) || beat.name.startsWith(continued(sessionId)));

/** An offered time and its label. */
interface Moment {
  id: "hour" | "evening" | "morning" | "reset";
  at: number;
  name: string;
}

const eveningHour = 18;
const morningHour = 8;

/** When a prompt may be sent: preset times, and the moment after the usage limit resets, 0 for none. */
export function moments(now: number, resetsAt: number): Moment[] {
  const words = text().composer.later;
  const at = (hour: number, days: number) => {
    const day = new Date(now);
    day.setDate(day.getDate() + days);
    return day.setHours(hour, 0, 0, 0);
  };
  // Rounded to the next minute, as the schedule has no seconds.
  const hour = Math.ceil(now / 60_000) * 60_000 + 3_600_000;
  const evening = at(eveningHour, 0);
  const morning = at(morningHour, 1);
  const found: Moment[] = [{ id: "hour", at: hour, name: words.hour(formatClock(hour, now)) }];
  if (evening > now) found.push({ id: "evening", at: evening, name: words.at(formatClock(evening, now)) });
  found.push({ id: "morning", at: morning, name: words.morning(formatClock(morning, now)) });
  if (resetsAt > now) found.push({ id: "reset", at: afterReset(resetsAt), name: words.reset(formatClock(resetsAt, now)) });
  return found;
}

/** When the usage limit that stopped the conversation resets, 0 if there is none or it is past. */
function resetOf(conversation: Conversation | undefined, now: number): number {
  if (!conversation) return 0;
  const all = conversation.order.map((id) => conversation.messages[id]?.notice?.resetsAt ?? 0);
  return Math.max(0, conversation.activity?.resetsAt ?? 0, ...all.filter((at) => at > now));
}

/** Why a draft can't be scheduled, "" if it can. */
function whyNotLater(draft: Draft): string {
  const words = text().composer.later;
  if (draft.attachments.length > 0) return words.noFiles;
  // The scheduler would expand them.
  return /\{\{[ \t]*[^{}\s]*[ \t]*\}\}/u.test(draft.text) ? words.noPlaceholders : "";
}

function specOf(session: Session, prompt: string, at: number): Spec {
  return {
    ...onceIn(session, `${marked(session.id)}${Date.now().toString(36)}`, prompt, at),
    description: text().composer.later.about,
    // A prompt that is late by more than this is no longer sent.
    startDeadline: "1h",
    timeout: "4h",
  };
}

/** The state of a scheduled prompt. */
export interface Waiting {
  name: string;
  text: string;
  /** Its scheduled time. */
  at: number;
  state: "waits" | "sending" | "missed";
  /** Why it was not sent. */
  why: string;
}

/** undefined once the prompt was sent. */
function waiting(beat: Heartbeat): Waiting | undefined {
  const { name, prompt, running, last, next } = beat;
  const at = Date.parse(beat.schedule.runAt ?? "") || next;
  const told = { name, text: prompt, at, why: "" };
  // A usage limit may have delayed it.
  if (!running && beat.state === "idle" && next > 0) return { ...told, state: "waits" };
  // Once started, the prompt and its outcome are in the conversation.
  const begun = running ?? last;
  if (begun && begun.startedAt > 0 && begun.sessionId !== "") return undefined;
  if (running) return { ...told, state: "sending" };
  return { ...told, state: "missed", why: translated(last?.reason ?? "") };
}

export interface Later {
  /** Whether the menu of times is open. */
  open: Accessor<boolean>;
  setOpen(open: boolean): void;
  moments(): readonly Moment[];
  /** Why the draft can't be scheduled, "" if it can. */
  whyNot(): string;
  all: Accessor<readonly Waiting[]>;
  /** Schedules the draft; it leaves the box once accepted. */
  schedule(at: number): Promise<void>;
  sendNow(name: string): Promise<void>;
  edit(name: string): Promise<void>;
  cancel(name: string): Promise<void>;
  busy(name: string): boolean;
  /** The last error; name is "" if it concerns the draft. */
  problem: Accessor<{ name: string; message: string } | null>;
}

/** focus moves the focus to the box. Runs inside an owner. */
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

  /** Appends a text to the draft of its session. */
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

  /** Removes it from the schedule first, so that it can't be sent twice. */
  async function take(name: string): Promise<string | undefined> {
    const words = all().find((w) => w.name === name && w.state !== "sending")?.text;
    if (words === undefined) return undefined;
    return (await ask(name, () => host.call("heartbeat.delete", { name }))) ? words : undefined;
  }

  /** Removes prompts that were sent from the file. */
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
