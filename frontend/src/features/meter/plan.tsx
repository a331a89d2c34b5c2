// The limits of the subscription, as reported by the CLI.

import { type Accessor, For, type JSX, Show } from "solid-js";
import type { Allowance } from "../../host/border.gen";
import { text } from "../../i18n";
import { createClock, formatClock } from "../../lib/time";
import { createReading } from "../../store/reading";
import { useApp } from "../../store/context";
import { percent } from "./parts";

export interface Plan {
  limits: readonly Allowance[];
  /** When the CLI reported them. */
  at: number;
}

const high = 80;

/** The limits that have not reset since. Runs inside an owner. */
export function createPlan(sessionId: () => string): Accessor<Plan | null> {
  const { state } = useApp();
  const now = createClock(30_000);
  const reading = createReading("usage.limits", () => ({ sessionId: sessionId() }), {
    events: (event) => event.event === "result" || event.event === "error",
    settle: 1000,
    about: sessionId,
    anew: () => (state.sessions[sessionId()]?.pid ?? 0) > 0,
  });
  return () => {
    const told = reading.answer();
    const limits = (told?.limits ?? []).filter(({ resetsAt }) => resetsAt === 0 || resetsAt > now());
    return told && limits.length > 0 ? { limits, at: told.at } : null;
  };
}

const nameOf = (limit: Allowance): string => (text().usage.plan.names as Record<string, string>)[limit.name] ?? limit.name;

/** The limits for all models, and those that are nearly used up. */
const inSight = (plan: Plan) => plan.limits.filter(({ name, percent: used }) => name === "Session" || name === "Week" || used >= high);

const shortly = (limit: Allowance): string => `${(text().usage.plan.short as Record<string, string>)[limit.name] ?? limit.name} ${percent(limit.percent)}`;

/** On one line. */
export function PlanLine(props: { plan: Plan }): JSX.Element {
  return (
    <span data-slot="plan">
      <For each={inSight(props.plan)}>
        {(limit) => (
          <>
            {" "}
            <span data-level={limit.percent >= high ? "warning" : undefined}>{shortly(limit)}</span>
          </>
        )}
      </For>
    </span>
  );
}

/** The same as a sentence that includes the visible text. */
export const planSentence = (plan: Plan): string => text().usage.plan.sentence(inSight(plan).map(shortly).join(", "));

/** All limits, with their reset times. */
export function PlanList(props: { plan: Plan }): JSX.Element {
  const words = () => text().usage.plan;
  return (
    <section data-component="plan-limits" aria-label={words().title}>
      <h3>{words().title}</h3>
      <dl>
        <For each={props.plan.limits}>
          {(limit) => (
            <>
              <dt>{nameOf(limit)}</dt>
              <dd data-level={limit.percent >= high ? "warning" : undefined}>
                {percent(limit.percent)}
                <Show when={limit.resetsAt > 0}>
                  <span data-slot="resets">{words().resets(formatClock(limit.resetsAt))}</span>
                </Show>
              </dd>
            </>
          )}
        </For>
      </dl>
      <p data-slot="aside">{words().said(formatClock(props.plan.at))}</p>
    </section>
  );
}
