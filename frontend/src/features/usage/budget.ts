// Helpers to display budgets.

import type { Budget } from "../../host/border.gen";
import { text } from "../../i18n";
import { formatCost, formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";

export const budgetNames = ["day-usd", "month-usd", "day-tokens", "month-tokens"] as const;
export type BudgetName = (typeof budgetNames)[number];

export const isMoney = (name: string): boolean => name.endsWith("-usd");
export const spanOf = (name: string): "day" | "month" => (name.startsWith("day") ? "day" : "month");

/** A limit or its used part, in words. */
export function figure(name: string, value: number): string {
  if (isMoney(name)) return formatCost(value);
  return text().usage.budgets.tokens(formatTokens(value));
}

/** The current budgets that are set. */
export function createBudgets(): () => readonly Budget[] {
  const { state } = useApp();
  const any = () => {
    const settings = state.info?.settings;
    return settings !== undefined && settings.budgetDayUSD + settings.budgetMonthUSD + settings.budgetDayTokens + settings.budgetMonthTokens > 0;
  };
  // On failure, keep the last value: the next usage event reloads it.
  const reading = createReading("usage.budgets", () => (state.info?.settings && any() ? {} : null), {
    take: (now, event) => (event.event === "usage.changed" ? { ...now, budgets: event.payload.budgets } : now),
  });
  return () => (any() ? (reading.answer()?.budgets ?? []) : []);
}
