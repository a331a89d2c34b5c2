import { type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../i18n";
import { createClock, formatElapsed } from "../../lib/time";
import type { Activity } from "../../store/state";
import { ResetCountdown, RetryCountdown } from "./Countdown";
import "./activity-line.css";

/** What is happening between messages. */
export function ActivityLine(props: { activity: Activity }): JSX.Element {
  const now = createClock(1000);
  const words = () => {
    const { starting, requesting, compacting } = text().blocks;
    const known: Record<string, string> = { starting, requesting, compacting };
    return props.activity.message || (known[props.activity.status] ?? props.activity.status);
  };
  return (
    <p data-component="activity-line" data-status={props.activity.status}>
      <span data-slot="dot" aria-hidden="true" />
      <Switch fallback={words()}>
        <Match when={props.activity.status === "retrying" && props.activity.retry}>
          {(retry) => <RetryCountdown retry={retry()} since={props.activity.since} />}
        </Match>
        <Match when={props.activity.resetsAt}>
          {(at) => (
            <>
              {words()} <ResetCountdown at={at()} />
            </>
          )}
        </Match>
      </Switch>
      <Show when={props.activity.status !== "notice" && props.activity.status !== "retrying"}>
        <span data-slot="time">{formatElapsed(now() - props.activity.since)}</span>
      </Show>
    </p>
  );
}
