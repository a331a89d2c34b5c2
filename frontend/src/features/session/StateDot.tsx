import type { JSX } from "solid-js";
import { text } from "../../i18n";
import type { Session } from "../../host/border.gen";
import { stateName } from "../../lib/names";
import "./state-dot.css";

/**
 * A session's state as a dot, filled and colored only if it needs attention. An idle session shows a ring while its
 * process exists, and nothing otherwise.
 */
export function StateDot(props: { session: Session }): JSX.Element {
  const state = () => {
    const { session } = props;
    if (session.openQuestions > 0) return "waiting";
    if (session.retry) return "retrying";
    if (session.state === "idle" && session.unread && session.deletedAt === 0) return "unread";
    if (session.state === "idle" && session.pid === 0) return "resting";
    return session.state;
  };
  const name = () => (state() === "unread" ? text().sessions.notSeen : stateName(state() === "resting" ? "idle" : state()));
  return <span data-component="state-dot" data-state={state()} role="img" aria-label={name()} />;
}
