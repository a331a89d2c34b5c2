import type { JSX } from "solid-js";
import type { Context } from "../../host/border.gen";
import { planLimits } from "../../../gallery/usage";
import { ContextTab } from "./ContextTab";
import { Details, MeterView } from "./Meter";
import { PlanList } from "./plan";

/** A reading whose four values add up. */
export function context(used: number, window: number, level: string, windowSource = "cli"): Context {
  const rest = used - 160_000;
  return {
    used,
    window,
    windowSource,
    percent: Math.round((used / window) * 1000) / 10,
    level,
    inputTokens: 1200,
    cacheReadTokens: 140_000 + rest,
    cacheCreationTokens: 18_000,
    outputTokens: 800,
  };
}

/** The same before the window size is known. */
export function unsized(used: number): Context {
  const { window: _w, windowSource: _s, percent: _p, level: _l, ...rest } = context(used, 1, "");
  return rest;
}

function Detail(props: { context: Context | null }): JSX.Element {
  return (
    <div data-component="meter-details">
      <Details context={props.context} totalCostUSD={1.25} />
    </div>
  );
}

export const galleryEntries: { name: string; component: () => JSX.Element }[] = [
  { name: "Meter: before the first call", component: () => <MeterView context={null} totalCostUSD={0} /> },
  { name: "Meter: a window that is not known", component: () => <MeterView context={unsized(161_000)} totalCostUSD={0.4233} /> },
  { name: "Meter: ok", component: () => <MeterView context={context(86_400, 1_000_000, "ok")} totalCostUSD={0.4233} /> },
  { name: "Meter: warning", component: () => <MeterView context={context(640_000, 1_000_000, "warning")} totalCostUSD={4.1} /> },
  { name: "Meter: critical", component: () => <MeterView context={context(160_000, 200_000, "critical")} totalCostUSD={12.5} /> },
  { name: "Meter: with a plan’s limits", component: () => <MeterView context={context(86_400, 1_000_000, "ok")} totalCostUSD={0.4233} plan={planLimits} /> },
  { name: "Meter: a plan’s limits", component: () => <div data-component="meter-details"><PlanList plan={planLimits} /></div> },
  { name: "Meter: details", component: () => <Detail context={context(160_000, 200_000, "critical", "model")} /> },
  { name: "Meter: details of a window that is not known", component: () => <Detail context={unsized(161_000)} /> },
  { name: "Meter: details before the first call", component: () => <Detail context={null} /> },
  { name: "Context: what fills the window", component: () => <ContextTab sessionId="s1" /> },
];
