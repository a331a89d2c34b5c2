import { type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { Retry } from "../../host/border.gen";
import { createClock, formatClock, formatElapsed } from "../../lib/time";

/** A countdown to the CLI's next retry, second by second. */
export function RetryCountdown(props: { retry: Retry; since: number }): JSX.Element {
  const now = createClock(500);
  const left = () => props.since + props.retry.delayMs - now();
  const words = () => text().blocks;
  return (
    <>
      {props.retry.httpStatus > 0 ? words().apiAnswered(props.retry.httpStatus) : words().apiUnreachable}{" "}
      <Show when={left() > 0} fallback={words().triesAgain(props.retry.attempt, props.retry.maxRetries)}>
        {words().triesAgainIn(formatElapsed(Math.ceil(left() / 1000) * 1000), props.retry.attempt, props.retry.maxRetries)}
      </Show>
    </>
  );
}

/** When a limit resets: the time, and how long until then. at is in milliseconds since 1970. */
export function ResetCountdown(props: { at: number }): JSX.Element {
  const now = createClock(1000);
  const left = () => props.at - now();
  return (
    <Show when={left() > 0} fallback={text().blocks.limitWasReset(formatClock(props.at))}>
      {text().blocks.limitResets(formatClock(props.at), formatElapsed(left()))}
    </Show>
  );
}
