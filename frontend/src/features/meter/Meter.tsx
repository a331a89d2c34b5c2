import { Popover } from "@kobalte/core/popover";
import { Tooltip } from "@kobalte/core/tooltip";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { Context } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { formatCost, formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import { SessionUsage } from "../usage/SessionUsage";
import { ContextView } from "./ContextView";
import { percent } from "./parts";
import { createPlan, type Plan, PlanLine, PlanList, planSentence } from "./plan";
import "./meter.css";

/** The context usage, the session's cost, and the remaining plan limits. Opens the context view. */
export function Meter(props: { sessionId: string }): JSX.Element {
  const { state } = useApp();
  const session = () => state.sessions[props.sessionId];
  const plan = createPlan(() => props.sessionId);
  return (
    <MeterView context={session()?.context ?? null} totalCostUSD={session()?.totalCostUSD ?? 0} plan={plan()}>
      {(close) => (
        <>
          <ContextView sessionId={props.sessionId} onDone={close} />
          <Show when={plan()}>{(limits) => <PlanList plan={limits()} />}</Show>
          <SessionUsage sessionId={props.sessionId} onShowAll={close} />
        </>
      )}
    </MeterView>
  );
}

export function MeterView(props: {
  context: Context | null;
  totalCostUSD: number;
  /** The limits of the subscription, if there is one. */
  plan?: Plan | null;
  /** The content of the popover. */
  children?: (close: () => void) => JSX.Element;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const [hovered, setHovered] = createSignal(false);
  let panel: HTMLElement | undefined;
  const words = () => text().usage.meter;
  const level = () => props.context?.level ?? "none";
  const sentence = () => {
    const c = props.context;
    const size = known(c);
    const full = !c ? words().unknown : size ? words().sentence(formatTokens(c.used), formatTokens(size.window), percent(size.percent)) : words().sentenceUsed(formatTokens(c.used));
    return [full, c?.old ? words().oldShort : "", props.totalCostUSD > 0 ? formatCost(props.totalCostUSD) : "", props.plan ? planSentence(props.plan) : ""].filter(Boolean).join(", ");
  };
  /** Not a button inside, whose tooltip would cover the panel. */
  const focusPanel = (event: Event) => {
    event.preventDefault();
    panel?.focus();
  };
  return (
    <Popover open={open()} onOpenChange={setOpen} placement="bottom-end" gutter={6}>
      <Tooltip open={hovered() && !open()} onOpenChange={setHovered} openDelay={200} closeDelay={0} gutter={6} placement="bottom-end">
        <Tooltip.Trigger as={Popover.Trigger} type="button" data-component="meter" data-level={level()} data-old={props.context?.old || undefined} aria-label={sentence()}>
          <span data-slot="bar" aria-hidden="true">
            {/* The width is data, so it is set inline. */}
            <span data-slot="fill" style={{ width: `${Math.min(100, props.context?.percent ?? 0)}%` }} />
          </span>
          <span data-slot="figures">
            <Show when={props.context} fallback="—">
              {(c) => (
                <>
                  <Show when={known(c())} fallback={(c().old ? "~" : "") + formatTokens(c().used)}>
                    {(size) => (
                      <>
                        <span data-slot="of">
                          {c().old ? "~" : ""}
                          {formatTokens(c().used)} / {formatTokens(size().window)} ·{" "}
                        </span>
                        {percent(size().percent)}
                      </>
                    )}
                  </Show>
                </>
              )}
            </Show>
          </span>
          <Show when={props.totalCostUSD > 0}>
            <span data-slot="cost">{formatCost(props.totalCostUSD)}</span>
          </Show>
          <Show when={props.plan}>{(plan) => <PlanLine plan={plan()} />}</Show>
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content data-component="meter-details">
            <Details context={props.context} totalCostUSD={props.totalCostUSD} />
            <Show when={props.plan}>{(plan) => <PlanList plan={plan()} />}</Show>
            <Show when={props.children}>
              <p>{words().click}</p>
            </Show>
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip>
      <Show when={props.children}>
        {(children) => (
          <Popover.Portal>
            <Popover.Content ref={panel} data-component="meter-panel" aria-label={words().title} onOpenAutoFocus={focusPanel}>
              {children()(() => setOpen(false))}
            </Popover.Content>
          </Popover.Portal>
        )}
      </Show>
    </Popover>
  );
}

/** The window size and its usage, once known. */
function known(c: Context | null): { window: number; percent: number } | null {
  return c?.window === undefined || c.percent === undefined ? null : { window: c.window, percent: c.percent };
}

const advised = (level: string | undefined): level is "warning" | "critical" => level === "warning" || level === "critical";

/** The content of the tooltip. */
export function Details(props: { context: Context | null; totalCostUSD: number }): JSX.Element {
  const words = () => text().usage.meter;
  const rows = (c: Context): [string, number][] => [
    [words().input, c.inputTokens],
    [words().cacheRead, c.cacheReadTokens],
    [words().cacheCreation, c.cacheCreationTokens],
    [words().output, c.outputTokens],
  ];
  const source = (c: Context) => (words().sources as Record<string, string>)[c.windowSource ?? ""] ?? words().windowLater;
  return (
    <>
      <strong>{words().title}</strong>
      <Show when={props.context} fallback={<p>{words().notYet}</p>}>
        {(context) => (
          <>
            <p>{words().about}</p>
            <dl>
              <For each={rows(context())}>
                {([label, tokens]) => (
                  <>
                    <dt>{label}</dt>
                    <dd>{number(tokens)}</dd>
                  </>
                )}
              </For>
              <dt data-slot="sum">{words().used}</dt>
              <dd data-slot="sum">{number(context().used)}</dd>
              <Show when={known(context())}>
                {(size) => (
                  <>
                    <dt>{words().window}</dt>
                    <dd>{number(size().window)}</dd>
                  </>
                )}
              </Show>
            </dl>
            {context().old && <p data-slot="advice">{words().old}</p>}
            <p>{source(context())}</p>
            <Show when={advised(context().level)}>
              <p data-slot="advice" data-level={context().level}>
                {words().advice[context().level as "warning" | "critical"]}
              </p>
            </Show>
          </>
        )}
      </Show>
      <Show when={props.totalCostUSD > 0}>
        <p>{words().cost(formatCost(props.totalCostUSD))}</p>
      </Show>
    </>
  );
}
