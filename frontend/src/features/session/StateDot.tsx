import type { JSX } from "solid-js";
import type { Session } from "../../host/border.gen";
import { stateName } from "../../lib/names";
import "./state-dot.css";

/** A session's state as a dot: filled and coloured only while it means something. */
export function StateDot(props: { session: Session }): JSX.Element {
  const state = () => (props.session.openQuestions > 0 ? "waiting" : props.session.state);
  return <span data-component="state-dot" data-state={state()} role="img" aria-label={stateName(state())} />;
}
