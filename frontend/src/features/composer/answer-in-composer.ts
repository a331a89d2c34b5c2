// Text written while a request is open goes to that request instead of the queue.

import { type Accessor, createEffect, createSignal, on } from "solid-js";
import { text as words } from "../../i18n";
import type { App } from "../../store/context";
import { isPasted, unfold } from "../../store/pasted";
import { emptyDraft, questionsOf } from "../../store/state";
import { replyWith, type Saying, sayingOf, type Shown, subjectOf } from "../approval/answer-by-text";

export interface ComposerAnswer {
  /** What Enter does with the text, null if it does not go to a request. */
  kind: Accessor<Saying | null>;
  /** The button's label. */
  label: Accessor<string>;
  placeholder: Accessor<string>;
  note: Accessor<string>;
  say(): void;
}

/** A command stays a command: "/clear" is not a reason. */
const isCommand = (text: string) => text.startsWith("!") || /^\s*\/[\w:-]+(?:\s|$)/.test(text);

export function createComposerAnswer({ state, actions }: Pick<App, "state" | "actions">, id: Accessor<string>, shown: Accessor<Shown | null>): ComposerAnswer {
  /** Why the text was rejected, and by which request. */
  const [outcome, setOutcome] = createSignal<{ why: "guarded" | "late"; requestId: string } | null>(null);
  const draft = () => state.drafts[id()] ?? emptyDraft();
  const questions = () => questionsOf(state, id());
  const question = () => questions().find((q) => q.requestId === shown()?.requestId);
  const kind = () => {
    const asked = question();
    return asked && !isCommand(draft().text) ? sayingOf(asked) : null;
  };
  const about = () => words().composer.saying[kind() ?? "deny"];
  const name = () => {
    const asked = question();
    return asked ? subjectOf(asked) : "";
  };
  createEffect(on([id, () => draft().text], () => setOutcome(null), { defer: true }));

  async function give(): Promise<void> {
    const [asked, answer, sessionId] = [question(), shown()?.answer, id()];
    if (!asked || !answer || answer.phase() === "sending") return;
    if (answer.phase() === "guarded") {
      setOutcome({ why: "guarded", requestId: asked.requestId });
      return;
    }
    const { text, attachments } = draft();
    const said = unfold(text, attachments).text.trim();
    if (said === "") return;
    const ending = await answer.give(replyWith(asked, said));
    if (ending?.won) actions.spendDraft(sessionId, text, attachments.filter(isPasted));
    else if (ending && id() === sessionId) setOutcome({ why: "late", requestId: asked.requestId });
  }

  return {
    kind,
    label: () => about().say(questions().length > 1 ? name() : ""),
    placeholder: () => about().placeholder,
    note() {
      const { saying } = words().composer;
      const missed = outcome();
      if (missed && (missed.why === "late" || missed.requestId === question()?.requestId)) return saying[missed.why];
      if (kind() === null) return "";
      const files = draft().attachments.some((a) => !isPasted(a)) ? ` ${saying.filesStay}` : "";
      return about().note(name()) + files;
    },
    say: () => void give(),
  };
}
