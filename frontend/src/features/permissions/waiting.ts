// What waits for a user, over all sessions.

import type { OpenQuestion } from "../../host/border.gen";

/** The sessions with questions, the one that waits longest first. */
export function sessionsOf(questions: readonly OpenQuestion[]): string[] {
  return [...new Set(questions.map((question) => question.sessionId))];
}

/** Where the next question is: the session that waits longest, after the current one when that waits, too. Null for none. */
export function nextWaiting(questions: readonly OpenQuestion[], current: string | null): string | null {
  const sessions = sessionsOf(questions);
  const at = current === null ? -1 : sessions.indexOf(current);
  return sessions[(at + 1) % sessions.length] ?? null;
}
