// Queued prompts: their actions and their labels.

import { type Accessor, batch, createEffect, createSignal, on, onCleanup } from "solid-js";
import { text, translated } from "../../i18n";
import type { QueuedPrompt, Session } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import type { AppState } from "../../store/state";

/** How long a removed prompt can be restored to the box. */
const dropStays = 15_000;

export interface Queue {
  /** The prompt being edited, "" for none, and its new text. */
  editing: Accessor<string>;
  text: Accessor<string>;
  setText(text: string): void;
  /** Whether a request about the prompt is pending. */
  busy(promptId: string): boolean;
  /** The last rejected request, and why. */
  problem: Accessor<{ promptId: string; message: string } | null>;
  /** The last removed prompt, while it can be restored to the box. */
  dropped: Accessor<string>;
  edit(promptId: string): void;
  /** Edits the newest editable prompt; false if there is none. */
  editNewest(): boolean;
  cancel(): void;
  save(): Promise<void>;
  drop(promptId: string): Promise<void>;
  /** Sends one prompt now, or all of them in order. */
  send(promptId?: string): Promise<void>;
  restore(): void;
}

/** putBack adds a text to the box, which may already have one. */
export function createQueue(host: Host, session: Accessor<Session>, putBack: (text: string, why: string) => void): Queue {
  const [editing, setEditing] = createSignal("");
  const [draft, setText] = createSignal("");
  const [pending, setPending] = createSignal<readonly string[]>([]);
  const [problem, setProblem] = createSignal<{ promptId: string; message: string } | null>(null);
  const [dropped, setDropped] = createSignal("");
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const prompts = () => session().queued;
  const find = (promptId: string) => prompts().find((p) => p.promptId === promptId);
  let original = "";

  function cancel(): void {
    batch(() => {
      setEditing("");
      setText("");
      setProblem(null);
    });
  }

  // If a prompt is sent while it is being edited, the edited text is kept.
  createEffect(
    on(
      () => [editing(), editing() !== "" && find(editing()) === undefined] as const,
      ([promptId, gone]) => {
        if (promptId === "" || !gone) return;
        if (draft() !== original) putBack(draft(), text().composer.queue.wentOut);
        cancel();
      },
    ),
  );
  createEffect(
    on(
      () => session().id,
      () => {
        cancel();
        setDropped("");
      },
      { defer: true },
    ),
  );

  /** Calls the program; an error is shown at the prompt it concerns. */
  async function ask(promptId: string, call: () => Promise<unknown>): Promise<boolean> {
    setProblem(null);
    setPending((all) => [...all, promptId]);
    try {
      await call();
      return true;
    } catch (error) {
      setProblem({ promptId, message: messageOf(error) });
      return false;
    } finally {
      setPending((all) => all.filter((id) => id !== promptId));
    }
  }

  return {
    editing,
    text: draft,
    setText,
    busy: (promptId) => pending().includes(promptId),
    problem,
    dropped,
    cancel,
    edit(promptId) {
      const prompt = find(promptId);
      if (!prompt || !canEdit(prompt)) return;
      original = prompt.text;
      batch(() => {
        setProblem(null);
        setText(prompt.text);
        setEditing(promptId);
      });
    },
    editNewest() {
      const newest = prompts().findLast(canEdit);
      if (newest) this.edit(newest.promptId);
      return newest !== undefined;
    },
    async save() {
      const promptId = editing();
      const words = draft();
      if (promptId === "" || words.trim() === "" || pending().includes(promptId)) return;
      const sessionId = session().id;
      const changed = words !== original;
      if (!changed || (await ask(promptId, () => host.call("session.editQueued", { sessionId, promptId, text: words })))) {
        if (editing() === promptId) cancel();
      }
    },
    async drop(promptId) {
      const sessionId = session().id;
      const words = find(promptId)?.text ?? "";
      if (!(await ask(promptId, () => host.call("session.dropQueued", { sessionId, promptId })))) return;
      if (session().id !== sessionId) return;
      setDropped(words);
      clearTimeout(timer);
      timer = setTimeout(() => setDropped(""), dropStays);
    },
    async send(promptId) {
      const sessionId = session().id;
      await ask(promptId ?? "", () => host.call("session.sendQueued", promptId ? { sessionId, promptId } : { sessionId }));
    },
    restore() {
      const words = dropped();
      setDropped("");
      if (words) putBack(words, "");
    },
  };
}

/** The CLI's prompts are out of Parley's control, and one that may have run must not change. */
export function canEdit(prompt: QueuedPrompt): boolean {
  return prompt.state !== "sent" && prompt.state !== "unknown" && prompt.cut !== true;
}

/** Whether a prompt is only sent when the user sends it individually. */
export function standsAside(prompt: QueuedPrompt): boolean {
  return prompt.state === "failed" || prompt.state === "unknown";
}

/** Why a prompt is set aside, "" if it is not. */
export function asideReason(prompt: QueuedPrompt): string {
  if (prompt.state === "unknown") return text().composer.queue.mayHaveRun;
  return prompt.state === "failed" ? [prompt.why?.message, prompt.why?.hint].map((sentence) => translated(sentence ?? "")).filter(Boolean).join(" ") : "";
}

/** The state of a queued prompt. */
export function promptState(prompt: QueuedPrompt, busy: boolean): string {
  switch (prompt.state) {
    case "sent":
      return busy ? text().composer.queue.read : text().composer.queue.sent;
    case "held":
      return text().composer.queue.held;
    case "failed":
      return text().composer.queue.failed;
    case "unknown":
      return text().composer.queue.unknown;
    default:
      return busy ? text().composer.queue.after : text().composer.queue.next;
  }
}

/** In sending order: the CLI's prompts come before Parley's. */
export function inOrder(prompts: readonly QueuedPrompt[]): QueuedPrompt[] {
  return [...prompts.filter((p) => p.state === "sent"), ...prompts.filter((p) => p.state !== "sent")];
}

/** Why prompts are on hold, and how to send them. */
export function heldReason(state: AppState, session: Session): string {
  const held = session.queued.filter((p) => p.state === "held").length;
  const words = text().composer.queue;
  const then = words.goesOut(held);
  if (session.error?.code === "conversation_gone") return words.heldGone;
  if (session.interrupted) return words.heldCut(then);
  return interrupted(state, session) ? words.heldStopped(then) : words.heldEnded(then);
}

/** Whether the last event is the user stopping the turn. */
function interrupted(state: AppState, session: Session): boolean {
  const conversation = state.conversations[session.id];
  const last = conversation?.order.at(-1);
  return last !== undefined && conversation?.messages[last]?.notice?.kind === "interrupted";
}
