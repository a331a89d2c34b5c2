import { type JSX, Show } from "solid-js";
import type { Connection } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { createClock } from "../../lib/time";
import { relative } from "../../lib/dates";

const states = ["off", "connecting", "connected", "waiting", "refused"] as const;

/** The state of the connection, the reason, and the time of the next retry. */
export function ConnectionState(props: { connection: Connection }): JSX.Element {
  const now = createClock(1000);
  const words = () => text().chat.connection;
  const state = () => states.find((one) => one === props.connection.state) ?? "off";
  return (
    <div data-slot="connection" data-state={state()}>
      <span data-slot="dot" aria-hidden="true" />
      <div>
        <strong>{words().states[state()]}</strong>
        <Show when={translated(props.connection.reason) || (state() === "off" ? words().offAbout : "")}>{(why) => <p>{why()}</p>}</Show>
        <Show when={state() === "waiting" && (props.connection.retryAt ?? 0) > 0}>
          <p data-slot="aside">{words().retry(relative(Math.max(props.connection.retryAt ?? 0, now()), now()))}</p>
        </Show>
      </div>
    </div>
  );
}
