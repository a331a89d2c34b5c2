import type { Session } from "../../host/border.gen";
import { isBusy } from "../../store/state";

/** The actions that a session's state allows. */
export interface Abilities {
  /** A turn is running, which some actions would interrupt. */
  busy: boolean;
  suspend: boolean;
  close: boolean;
  reopen: boolean;
  fresh: boolean;
}

export function abilitiesOf(session: Session): Abilities {
  const busy = isBusy(session);
  const closed = session.state === "closed";
  return {
    busy,
    suspend: session.pid !== 0 && !busy && !closed,
    close: session.pid !== 0 && !closed,
    reopen: closed,
    fresh: !busy && !closed && (session.cliSessionId !== "" || session.messages > 0),
  };
}
