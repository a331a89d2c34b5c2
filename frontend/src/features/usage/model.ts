// Computes the usage page from the program's report: the days of a range, the plot's series, the table's texts and its
// CSV. Pure.

import type { UsageRow } from "../../host/border.gen";
import { text } from "../../i18n";
import { modelName } from "../../lib/names";
import { formatCost, formatTokens } from "../../lib/time";

export type Range = "7" | "30" | "90" | "all";
export type Measure = "tokens" | "cost";
export type Stack = "model" | "workspace";
export type Listing = "day" | "session" | "workspace" | "model";

export const ranges: readonly Range[] = ["7", "30", "90", "all"];
export const measures: readonly Measure[] = ["tokens", "cost"];
export const stacks: readonly Stack[] = ["model", "workspace"];
export const listings: readonly Listing[] = ["day", "session", "workspace", "model"];

/** The plot has this many colors; the remaining series are merged into one. */
const maxSeries = 5;
/** Beyond this many days, they are not drawn one by one. */
const maxDays = 3660;

const dayLength = 86_400_000;

/** "2026-11-21" as a UTC time: days are counted, not hours. */
export const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first day of a range that ends today, "" for all. */
export function firstDay(range: Range, today: string): string {
  if (range === "all") return "";
  return dayOf(timeOf(today) - (Number(range) - 1) * dayLength);
}

/** All days from the first to the last. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  const end = timeOf(last);
  for (let at = Math.max(timeOf(first), end - maxDays * dayLength); at <= end; at += dayLength) days.push(dayOf(at));
  return days;
}

export const allTokens = (row: UsageRow): number =>
  row.tokens.inputTokens + row.tokens.cacheReadTokens + row.tokens.cacheCreationTokens + row.tokens.outputTokens;

export const valueOf = (row: UsageRow, measure: Measure): number => (measure === "cost" ? row.costUSD : allTokens(row));

export interface Series {
  id: string;
  name: string;
  /** One value per day. */
  values: number[];
  total: number;
}

/** One series for each of the largest, and one for all others; ordered by size. */
export function seriesOf(rows: readonly UsageRow[], days: readonly string[], stack: Stack, measure: Measure): Series[] {
  const at = new Map(days.map((day, i) => [day, i]));
  const found = new Map<string, Series>();
  for (const row of rows) {
    const day = at.get(row.day);
    const value = valueOf(row, measure);
    if (day === undefined || value <= 0) continue;
    const id = stack === "model" ? row.model : row.workspaceId;
    const series = found.get(id) ?? { id, name: nameIn(row, stack), values: days.map(() => 0), total: 0 };
    found.set(id, series);
    series.values[day] = (series.values[day] ?? 0) + value;
    series.total += value;
  }
  const sorted = [...found.values()].toSorted((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  if (sorted.length <= maxSeries + 1) return sorted;
  const rest = sorted.slice(maxSeries);
  return [
    ...sorted.slice(0, maxSeries),
    {
      id: "\u0000others",
      name: text().usage.otherSeries,
      values: days.map((_, i) => rest.reduce((sum, s) => sum + (s.values[i] ?? 0), 0)),
      total: rest.reduce((sum, s) => sum + s.total, 0),
    },
  ];
}

/** A row's name in a listing. */
export function nameIn(row: UsageRow, by: Listing): string {
  const words = text().usage;
  switch (by) {
    case "day":
      return row.day;
    case "session":
      return row.title || (row.gone ? words.gone : words.untitled);
    case "workspace":
      return row.workspace || words.noWorkspace;
    case "model":
      return row.model ? modelName(row.model) : words.noModel;
    default:
      return by satisfies never;
  }
}

/** The cost for display: never an estimate. */
export function costIn(row: UsageRow): string {
  if (row.costUSD > 0 || (row.unpriced === 0 && row.answers > 0)) return formatCost(row.costUSD);
  return row.unpriced > 0 ? text().usage.noPrice : "—";
}

/** A value as shown on an axis or in a total. */
export function amount(value: number, measure: Measure): string {
  if (measure === "cost") return formatCost(value);
  return formatTokens(value);
}

/** The table's values, for a spreadsheet. */
export function csvOf(rows: readonly UsageRow[], by: Listing): string {
  const lines = [[by, "answers", "input_tokens", "cache_read_tokens", "cache_creation_tokens", "output_tokens", "total_tokens", "reported_cost_usd", "tokens_without_price"]];
  for (const row of rows) {
    const { inputTokens, cacheReadTokens, cacheCreationTokens, outputTokens } = row.tokens;
    const figures = [row.answers, inputTokens, cacheReadTokens, cacheCreationTokens, outputTokens, allTokens(row), row.costUSD, row.unpriced];
    lines.push([quoted(by === "model" ? row.model : nameIn(row, by)), ...figures.map(String)]);
  }
  return `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

/** Quotes a CSV field and defuses what a spreadsheet would treat as a formula. */
function quoted(field: string): string {
  const safe = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
