// Budgets as the page shows them.

import { createSignal, onCleanup, createEffect } from "solid-js";
import type { Budget } from "../../host/border.gen";
import { text } from "../../i18n";
import { formatCost, formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";

export const budgetNames = ["day-usd", "month-usd", "day-tokens", "month-tokens"] as const;
export type BudgetName = (typeof budgetNames)[number];

export const isMoney = (name: string): boolean => name.endsWith("-usd");
export const spanOf = (name: string): "day" | "month" => (name.startsWith("day") ? "day" : "month");

/** A limit or what is used of it, in words. */
export function figure(name: string, value: number): string {
  if (isMoney(name)) return formatCost(value);
  return text().usage.budgets.tokens(formatTokens(value));
}

/** The budgets that are set, as they are now. */
export function createBudgets(): () => readonly Budget[] {
  const { host, state } = useApp();
  const [budgets, setBudgets] = createSignal<readonly Budget[]>([]);
  let asked = 0;
  onCleanup(
    host.onGlobal((event) => {
      if (event.event !== "usage.changed") return;
      asked++;
      setBudgets(event.payload.budgets);
    }),
  );
  createEffect(() => {
    const settings = state.info?.settings;
    if (!settings || host.status().kind !== "open") return;
    const any = settings.budgetDayUSD + settings.budgetMonthUSD + settings.budgetDayTokens + settings.budgetMonthTokens > 0;
    const mine = ++asked;
    if (!any) {
      setBudgets([]);
      return;
    }
    // A failure leaves what was known: the next change of the accounts says it again.
    host.call("usage.budgets", {}).then(
      (answer) => mine === asked && setBudgets(answer.budgets),
      () => {},
    );
  });
  return budgets;
}
