// Pending requests of all sessions.

import type { OpenQuestion } from "../../host/border.gen";

/** The sessions with requests, longest-waiting first. */
export function sessionsOf(questions: readonly OpenQuestion[]): string[] {
  return [...new Set(questions.map((question) => question.sessionId))];
}

/** The session with the next request: the longest-waiting one, or the one after the current session in that order. Null
 * for none. */
export function nextWaiting(questions: readonly OpenQuestion[], current: string | null): string | null {
  const sessions = sessionsOf(questions);
  const at = current === null ? -1 : sessions.indexOf(current);
  return sessions[(at + 1) % sessions.length] ?? null;
}
