import ChevronRight from "lucide-solid/icons/chevron-right";
import { createSignal, createUniqueId, For, type JSX } from "solid-js";
import type { TurnResult } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { modelName } from "../../lib/names";
import { formatCost, formatDuration, formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import "./turn-footer.css";

/** A turn's model, time, tokens and cost on one line, with details on demand. */
export function TurnFooter(props: {
  result: TurnResult;
  /** The model's id, if known. */
  model?: string | undefined;
  children?: JSX.Element;
}): JSX.Element {
  const { layout } = useApp();
  const id = createUniqueId();
  const [open, setOpen] = createSignal(false);
  const words = () => text().blocks;
  const state = () => (props.result.stopped ? "stopped" : props.result.isError ? "error" : "ok");
  const input = () => {
    const { inputTokens, cacheReadTokens, cacheCreationTokens } = props.result.usage;
    return inputTokens + cacheReadTokens + cacheCreationTokens;
  };
  const parts = () => {
    const { durationMs, costUSD, numTurns, usage } = props.result;
    return [
      { ok: "", stopped: words().turnStopped, error: words().endedWithError }[state()],
      props.model ? modelName(props.model) : "",
      // Unknown for turns read from the CLI's file, like the cost.
      durationMs > 0 ? formatDuration(durationMs) : "",
      // A sum: every step reads the conversation again.
      words().tokensInOut(formatTokens(input()), formatTokens(usage.outputTokens), numTurns),
      costUSD > 0 ? formatCost(costUSD) : "",
    ].filter(Boolean);
  };
  const details = (): [name: string, value: string][] => {
    const { durationMs, ttftMs, numTurns, costUSD, usage } = props.result;
    const all: [string, string][] = [
      [words().model, props.model ?? ""],
      [words().took, durationMs > 0 ? formatDuration(durationMs) : ""],
      [words().firstWord, ttftMs ? formatDuration(ttftMs) : ""],
      [words().steps, number(numTurns)],
      [words().inputTokens, number(usage.inputTokens)],
      [words().cacheRead, number(usage.cacheReadTokens)],
      [words().cacheWritten, number(usage.cacheCreationTokens)],
      [words().output, number(usage.outputTokens)],
      [words().cost, costUSD > 0 ? `$${number(costUSD, { minimumFractionDigits: 4, maximumFractionDigits: 4 })}` : ""],
    ];
    return all.filter(([, value]) => value !== "");
  };
  return (
    <footer data-component="turn-footer" data-state={state()}>
      <button type="button" data-slot="line" aria-expanded={open()} aria-controls={id} title={words().turnDetails} onClick={() => setOpen(!open())}>
        {parts().join(" · ")}
        <ChevronRight size={12} />
      </button>
      {props.children}
      {open() && (
        <>
          <dl id={id}>
            <For each={details()}>
              {([name, value]) => (
                <div>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              )}
            </For>
          </dl>
          <button type="button" data-slot="session" onClick={() => layout.showInspector("context")}>
            {words().wholeSession}
          </button>
        </>
      )}
    </footer>
  );
}
