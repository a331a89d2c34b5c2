import type { JSX } from "solid-js";
import type { TurnResult } from "../../host/border.gen";
import { formatCost, formatDuration, formatTokens, plural } from "../../lib/time";
import "./turn-footer.css";

/** What a turn took: time, tokens, money. */
export function TurnFooter(props: { result: TurnResult }): JSX.Element {
  const input = () => {
    const { inputTokens, cacheReadTokens, cacheCreationTokens } = props.result.usage;
    return inputTokens + cacheReadTokens + cacheCreationTokens;
  };
  const parts = () => {
    const { durationMs, costUSD, usage, ttftMs } = props.result;
    return [
      formatDuration(durationMs),
      ttftMs ? `first word after ${formatDuration(ttftMs)}` : "",
      `${formatTokens(input())} tokens in, ${formatTokens(usage.outputTokens)} out`,
      costUSD > 0 ? formatCost(costUSD) : "",
    ].filter(Boolean);
  };
  const details = () => {
    const { cacheReadTokens, cacheCreationTokens } = props.result.usage;
    return `${plural(props.result.numTurns, "call")} to the model. Of the input, ${cacheReadTokens.toLocaleString("en")} tokens were read from the cache and ${cacheCreationTokens.toLocaleString("en")} written to it.`;
  };
  return (
    <footer data-component="turn-footer" data-state={props.result.isError ? "error" : "ok"} title={details()}>
      {props.result.isError ? "Ended with an error · " : ""}
      {parts().join(" · ")}
    </footer>
  );
}
