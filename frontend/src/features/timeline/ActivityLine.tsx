import { type JSX, Show } from "solid-js";
import { createClock, formatElapsed } from "../../lib/time";
import type { Activity } from "../../store/state";
import "./activity-line.css";

const words: Record<string, string> = {
  starting: "Starting the CLI",
  requesting: "Waiting for the model",
  compacting: "Summarising the conversation",
};

/** What goes on between the things that are said. */
export function ActivityLine(props: { activity: Activity }): JSX.Element {
  const now = createClock(1000);
  const text = () => {
    const { status, message, retry } = props.activity;
    if (status !== "retrying" || !retry) return message || (words[status] ?? status);
    const why = retry.httpStatus > 0 ? `The API answered with ${retry.httpStatus}` : "The API could not be reached";
    return `${why}. Trying again, ${retry.attempt} of ${retry.maxRetries}`;
  };
  return (
    <p data-component="activity-line" data-status={props.activity.status}>
      <span data-slot="dot" aria-hidden="true" />
      {text()}
      <Show when={props.activity.status !== "notice"}>
        <span data-slot="time">{formatElapsed(now() - props.activity.since)}</span>
      </Show>
    </p>
  );
}
