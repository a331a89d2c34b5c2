import { Tooltip } from "@kobalte/core/tooltip";
import { For, type JSX, Show } from "solid-js";
import type { Context } from "../../host/border.gen";
import { formatCost, formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import "./meter.css";

/** How full the context window of a session is, and what the session has cost. */
export function Meter(props: { sessionId: string }): JSX.Element {
  const { state } = useApp();
  const session = () => state.sessions[props.sessionId];
  return <MeterView context={session()?.context ?? null} totalCostUSD={session()?.totalCostUSD ?? 0} />;
}

const sources: Record<string, string> = {
  cli: "The CLI says so.",
  model: "The model’s name says so.",
  default: "Nobody has said yet; this is assumed.",
};

const advice: Record<string, string> = {
  warning: "Over 60 %. A long task may need room: /compact summarises the conversation.",
  critical: "Over 75 %. The CLI will soon summarise the conversation by itself; /compact does it now.",
};

export function MeterView(props: { context: Context | null; totalCostUSD: number }): JSX.Element {
  const level = () => props.context?.level ?? "none";
  const sentence = () => {
    const c = props.context;
    if (!c) return "Context: not known before the first answer";
    return `Context: ${formatTokens(c.used)} of ${formatTokens(c.window)} tokens used, ${percent(c.percent)}`;
  };
  return (
    <Tooltip openDelay={200} closeDelay={0} gutter={6} placement="bottom-end">
      <Tooltip.Trigger as="button" type="button" data-component="meter" data-level={level()} aria-label={sentence()}>
        <span data-slot="bar" aria-hidden="true">
          {/* The width is a figure, not a look. */}
          <span data-slot="fill" style={{ width: `${Math.min(100, props.context?.percent ?? 0)}%` }} />
        </span>
        <span data-slot="figures">
          <Show when={props.context} fallback="—">
            {(c) => (
              <>
                {formatTokens(c().used)}
                <span data-slot="of"> / {formatTokens(c().window)} · </span>
                {percent(c().percent)}
              </>
            )}
          </Show>
        </span>
        <Show when={props.totalCostUSD > 0}>
          <span data-slot="cost">{formatCost(props.totalCostUSD)}</span>
        </Show>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content data-component="meter-details">
          <Details context={props.context} totalCostUSD={props.totalCostUSD} />
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip>
  );
}

/** What the tooltip says. */
export function Details(props: { context: Context | null; totalCostUSD: number }): JSX.Element {
  const rows = (c: Context): [string, number][] => [
    ["New input", c.inputTokens],
    ["Read from the cache", c.cacheReadTokens],
    ["Written to the cache", c.cacheCreationTokens],
    ["Answer", c.outputTokens],
  ];
  return (
    <>
      <strong>Context window</strong>
      <Show when={props.context} fallback={<p>Not known yet: the model’s first answer tells how much it has read.</p>}>
        {(context) => (
          <>
            <p>
              How much of what the model can keep in view the last call took up. It is not a sum over calls; it falls when
              the conversation is summarised.
            </p>
            <dl>
              <For each={rows(context())}>
                {([label, tokens]) => (
                  <>
                    <dt>{label}</dt>
                    <dd>{tokens.toLocaleString("en")}</dd>
                  </>
                )}
              </For>
              <dt data-slot="sum">Used</dt>
              <dd data-slot="sum">{context().used.toLocaleString("en")}</dd>
              <dt>Window</dt>
              <dd>{context().window.toLocaleString("en")}</dd>
            </dl>
            <p>{sources[context().windowSource] ?? ""}</p>
            <Show when={advice[context().level]}>
              {(words) => (
                <p data-slot="advice" data-level={context().level}>
                  {words()}
                </p>
              )}
            </Show>
          </>
        )}
      </Show>
      <Show when={props.totalCostUSD > 0}>
        <p>This session has cost {formatCost(props.totalCostUSD)}, by the CLI’s account.</p>
      </Show>
    </>
  );
}

function percent(value: number): string {
  if (value > 0 && value < 1) return "<1%";
  return `${Math.round(value)}%`;
}
