// The next step after something that went wrong. Nothing is sent by itself: words
// are put into the box, where the person sees and sends them.

import { text } from "../../i18n";
import type { App } from "../../store/context";
import type { Scope } from "./scope";

function paneOf(element: HTMLElement): HTMLElement | null {
  return element.closest<HTMLElement>('[data-component="session-pane"]');
}

/** Puts words into the session's box, and the focus there. */
export function propose(app: App, scope: Scope, words: string, from: HTMLElement): void {
  const pane = paneOf(from);
  app.actions.setDraftText(scope.sessionId, words);
  pane?.querySelector<HTMLElement>('[data-component="composer"] textarea')?.focus();
}

/** Whether the person has written something that must not be replaced. */
export function hasWritten(app: App, scope: Scope): boolean {
  return (app.state.drafts[scope.sessionId]?.text ?? "") !== "";
}

/** The words of the prompt that a notice is about: the last one before it. */
export function promptBefore(scope: Scope, noticeId: string): string {
  const { order, messages, blocks } = scope.conversation;
  const at = order.lastIndexOf(noticeId);
  const id = order.slice(0, at < 0 ? undefined : at).findLast((m) => messages[m]?.role === "user" && !messages[m]?.synthetic && !messages[m]?.parentToolUseId);
  const message = id === undefined ? undefined : messages[id];
  return (message?.blockIds ?? []).map((b) => blocks[b]?.text ?? "").join("\n\n");
}

/** Opens the menu of models that belongs to the session. */
export function openModels(from: HTMLElement): void {
  const chip = paneOf(from)?.querySelector<HTMLElement>(`[data-component="picker"][aria-label^=${JSON.stringify(`${text().choices.model}:`)}]`);
  chip?.focus();
  chip?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
}

/** How a person gets past an error, by its code. */
export type Step = "again" | "model" | "signIn" | "compact" | "settings";

const steps: Record<string, Step[]> = {
  no_account: ["signIn", "again"],
  billing: ["again"],
  model_not_found: ["model", "again"],
  too_large: ["compact"],
  rate_limit: ["again", "model"],
  overloaded: ["again", "model"],
  turn_failed: ["again"],
  max_turns: [],
  cli_missing: ["settings"],
  cli_unusable: ["settings"],
  cli_exited: ["again"],
  // The prompt is not lost: it waits until the person has begun afresh, which the banner offers.
  conversation_gone: [],
};

export function stepsFor(code: string): Step[] {
  return steps[code] ?? ["again"];
}
