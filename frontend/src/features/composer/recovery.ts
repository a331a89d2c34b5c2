// The next step after an error. Nothing is sent automatically: the text is put into the box, where the user sees and
// sends it.

import type { FailureCode, Session, Spec } from "../../host/border.gen";
import type { Host } from "../../host/host";
import { text } from "../../i18n";
import type { App } from "../../store/context";
import type { Pane } from "../../store/pane";
import type { Scope } from "../../store/scope";

/** Puts a text into the session's box and focuses it. */
export function propose(app: App, pane: Pane, scope: Scope, words: string): void {
  app.actions.setDraftText(scope.sessionId, words);
  pane.focusComposer();
}

/** Whether the draft has text that must not be replaced. */
export function hasWritten(app: App, scope: Scope): boolean {
  return (app.state.drafts[scope.sessionId]?.text ?? "") !== "";
}

/** The prompt a notice refers to: the last one before it. */
export function promptBefore(scope: Scope, noticeId: string): string {
  const { order, messages, blocks } = scope.conversation;
  const at = order.lastIndexOf(noticeId);
  const id = order.slice(0, at < 0 ? undefined : at).findLast((m) => messages[m]?.role === "user" && !messages[m]?.synthetic && !messages[m]?.parentToolUseId);
  const message = id === undefined ? undefined : messages[id];
  return (message?.blockIds ?? []).map((b) => blocks[b]?.text ?? "").join("\n\n");
}

/** The steps out of an error, by its code. */
export type Step = "wait" | "again" | "model" | "signIn" | "compact" | "fresh" | "setUp" | "settings" | "copy";

/** The first is the most likely. For errors that can only be reported, the details can be copied. */
const steps: Record<FailureCode, Step[]> = {
  bad_request: ["again", "copy"],
  no_account: ["signIn", "again"],
  login_expired: ["signIn", "again"],
  unauthorized: ["signIn", "again"],
  billing: ["again"],
  model_not_found: ["model", "again"],
  too_large: ["compact", "fresh"],
  rate_limit: ["wait", "again", "model"],
  overloaded: ["again", "model"],
  api_error: ["again", "copy"],
  unreachable: ["again"],
  start_refused: ["again", "settings"],
  turn_failed: ["again", "copy"],
  max_turns: ["again"],
  stopped: ["again"],
  tool_server: ["again", "copy"],
  intruder: ["copy"],
  cli_missing: ["setUp", "again"],
  cli_unusable: ["setUp", "settings", "again"],
  cli_too_old: ["setUp", "again"],
  cli_crashed: ["again", "copy"],
  conversation_gone: ["fresh"],
  fork_point: ["fresh"],
  invalid: ["again", "copy"],
  not_found: ["again"],
  conflict: ["again"],
  forbidden: ["copy"],
  busy: ["again"],
  unavailable: ["again"],
  internal: ["again", "copy"],
};

const isCode = (code: string): code is FailureCode => Object.hasOwn(steps, code);

export function stepsFor(code: string): Step[] {
  return isCode(code) ? steps[code] : ["again"];
}

/** The title and explanation of an error, undefined for codes of an older Parley. */
export function failureWords(code: string): { title: string; about: string } | undefined {
  return isCode(code) ? text().failures.codes[code] : undefined;
}

/** The part of a session's id used in heartbeat names. */
export const restOf = (sessionId: string): string => sessionId.replaceAll(/[^A-Za-z0-9]/gu, "").slice(0, 8);

/** A heartbeat that sends one prompt in a session. It survives restarts. */
export function onceIn(session: Session, name: string, prompt: string, at: number): Spec {
  return {
    name,
    prompt,
    schedule: { runAt: new Date(at).toISOString().replace(".000Z", "Z") },
    folder: session.cwd,
    destination: { session: session.id },
    enabled: true,
    missed: "once",
    budgets: { run: { turns: onceTurns } },
  };
}

/** The maximum number of turns of such a run, unless the user chose one. */
const onceTurns = 100;

/** The name prefix of heartbeats that continue a session. */
export const continued = (sessionId: string): string => `continue-${restOf(sessionId)}-`;

/** Limits on continuing automatically: how many times, and the turns and dollars each time; 0 dollars means no limit. */
export interface Fuse {
  again: number;
  turns: number;
  usd: number;
}

/** The first full minute at which a limit has certainly reset. */
export const afterReset = (resetsAt: number): number => Math.ceil(resetsAt / 60_000) * 60_000 + 60_000;

/**
 * Continues a session once its usage limit has reset: a one-time heartbeat, which can be seen
 * and changed on the heartbeats page. The fuse limits it: if the limit is reached more often,
 * the user is asked again.
 */
export async function continueAt(host: Host, session: Session, resetsAt: number, fuse: Fuse): Promise<void> {
  const at = afterReset(resetsAt);
  const spec = onceIn(session, `${continued(session.id)}${at / 60_000}`, text().blocks.continuePrompt, at);
  await host.call("heartbeat.save", {
    spec: { ...spec, description: text().failures.continueAbout, timeout: "4h", budgets: { run: { turns: fuse.turns, ...(fuse.usd > 0 && { usd: fuse.usd }) } }, ...(fuse.again > 0 && { again: fuse.again }) },
  });
}
