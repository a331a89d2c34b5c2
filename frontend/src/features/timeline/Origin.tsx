import SquareTerminal from "lucide-solid/icons/square-terminal";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { createSlowClock } from "../../lib/ago";
import { useApp } from "../../store/context";

/** A conversation that grew within this time is active elsewhere. */
const recent = 60_000;

/** Shows the origin of a conversation that was not started here. */
export function Origin(props: { sessionId: string }): JSX.Element {
  const { state } = useApp();
  const session = () => state.sessions[props.sessionId];
  const now = createSlowClock(10_000);
  const growing = () => now() - (session()?.lastActivityAt ?? 0) < recent;
  return (
    <Show when={session()?.origin === "cli"}>
      <p data-component="origin">
        <SquareTerminal size={14} />
        <Show
          when={growing()}
          fallback={text().timeline.fromTerminal}
        >
          {text().timeline.growsInTerminal}
        </Show>
      </p>
    </Show>
  );
}
