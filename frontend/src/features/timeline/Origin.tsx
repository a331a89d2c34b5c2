import SquareTerminal from "lucide-solid/icons/square-terminal";
import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { createSlowClock } from "../../lib/ago";
import { useApp } from "../../store/context";

/** A conversation that grew so short a time ago goes on elsewhere. */
const recent = 60_000;

/** Says where a conversation comes from that was not begun here. */
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
