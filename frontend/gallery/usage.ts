// What was used in some months, and what fills a window: made up, the same every time.

import { HostError } from "../src/host/host";
import type { Handlers } from "../src/host/fake";
import type { ContextPart, ContextReport, UsageReport, UsageRow } from "../src/host/border.gen";

const dayLength = 86_400_000;
const today = "2026-11-21";
const dayOf = (ago: number) => new Date(Date.parse(today) - ago * dayLength).toISOString().slice(0, 10);

const models = ["claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5"];
const prices = [0.31, 0.09, 0.012];
const places: [string, string][] = [["w1", "parley"], ["w2", "engine"], ["w3", "notes"], ["", ""]];
const titles = ["Retry the upload when the link drops", "Why is the nightly build slow?", "Sort the reading notes by topic", ""];

function usageRow(change: Partial<UsageRow> = {}): UsageRow {
  return {
    day: "", sessionId: "", title: "", gone: false, workspaceId: "", workspace: "", model: "", answers: 0,
    tokens: { inputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, outputTokens: 0 }, costUSD: 0, unpriced: 0, ...change,
  };
}

/** One row for each day, model and workspace on which something was used. */
const all: UsageRow[] = [];
for (let ago = 0; ago < 75; ago++) {
  if (ago % 7 > 4 && ago % 3 !== 0) continue;
  for (const [m, model] of models.entries()) {
    const at = (ago * 7 + m * 5) % 11;
    if (at > 8 - m) continue;
    const place = places[(ago + m) % 4] ?? ["", ""];
    const k = (at + 2) * (m === 0 ? 3 : 1);
    all.push(
      usageRow({
        day: dayOf(ago), model, workspaceId: place[0], workspace: place[1],
        sessionId: `s${1 + ((ago + m) % 4)}`, title: titles[(ago + m) % 4] ?? "", gone: (ago + m) % 4 === 3, answers: k * 4,
        tokens: { inputTokens: k * 1310, cacheReadTokens: k * 181_000, cacheCreationTokens: k * 14_200, outputTokens: k * 5420 },
        costUSD: ago < 50 ? k * (prices[m] ?? 0) : 0,
        unpriced: ago < 50 ? 0 : k * 201_930,
      }),
    );
  }
}

function grouped(rows: readonly UsageRow[], by: readonly string[]): UsageRow[] {
  const found = new Map<string, UsageRow>();
  for (const row of rows) {
    const has = (name: string) => by.includes(name);
    const key = usageRow({
      day: has("day") ? row.day : "", model: has("model") ? row.model : "",
      ...(has("workspace") ? { workspaceId: row.workspaceId, workspace: row.workspace } : {}),
      ...(has("session") ? { sessionId: row.sessionId, title: row.title, gone: row.gone } : {}),
    });
    const id = JSON.stringify([key.day, key.model, key.workspaceId, key.sessionId]);
    const sum = found.get(id) ?? key;
    found.set(id, sum);
    sum.answers += row.answers;
    sum.costUSD += row.costUSD;
    sum.unpriced += row.unpriced;
    for (const part of ["inputTokens", "cacheReadTokens", "cacheCreationTokens", "outputTokens"] as const) sum.tokens[part] += row.tokens[part];
  }
  return [...found.values()].toSorted((a, b) => a.day.localeCompare(b.day) || b.tokens.cacheReadTokens - a.tokens.cacheReadTokens);
}

function usageReport(rows: readonly UsageRow[], by: readonly string[], change: Partial<UsageReport> = {}): UsageReport {
  return { rows: grouped(rows, by), more: 0, total: grouped(rows, [])[0] ?? usageRow(), reading: false, since: rows.at(-1)?.day ?? "", today, ...change };
}

const part = (name: string, tokens: number, change: Partial<ContextPart> = {}): ContextPart => ({ id: "", name, detail: "", tokens, kind: "used", ...change });

export function contextReport(change: Partial<ContextReport> = {}): ContextReport {
  return {
    live: true, model: "claude-opus-5-5", total: 86_400, window: 200_000, autoCompactAt: 167_000,
    categories: [
      part("System prompt", 2339, { id: "system_prompt" }),
      part("System tools", 10_222, { id: "system_tools" }),
      part("MCP tools", 8140, { id: "mcp_tools" }),
      part("System tools (deferred)", 12_350, { id: "system_tools_deferred", kind: "deferred" }),
      part("Memory files", 3253, { id: "memory_files" }),
      part("Skills", 2067, { id: "skills" }),
      part("Messages", 60_379, { id: "messages" }),
      part("Autocompact buffer", 33_000, { id: "autocompact_buffer", kind: "buffer" }),
      part("Free space", 80_600, { id: "free_space", kind: "free" }),
    ],
    messages: [part("", 41_200, { id: "toolResults" }), part("", 9120, { id: "assistantMessages" }), part("", 6300, { id: "toolCalls" }), part("", 2400, { id: "attachments" }), part("", 1359, { id: "userMessages" })],
    tools: [part("Read", 28_400), part("Bash", 14_600), part("Grep", 4500)],
    memoryFiles: [part("/home/ada/projects/parley/CLAUDE.md", 2840, { detail: "Project" }), part("/home/ada/.claude/CLAUDE.md", 413, { detail: "User" })],
    mcpTools: [part("browser_navigate", 4900, { detail: "playwright" }), part("query", 3240, { detail: "postgres" })],
    skills: [part("dataviz", 482, { detail: "built-in" }), part("code-review", 283, { detail: "built-in" })],
    agents: [],
    ...change,
  };
}

/** A subscription of which one part is nearly used up. */
export const planLimits = {
  at: Date.parse("2026-11-21T15:30:00Z"),
  limits: [
    { name: "Session", percent: 84, resetsAt: Date.parse("2026-11-21T18:00:00Z") },
    { name: "Week", percent: 31.4, resetsAt: Date.parse("2026-11-25T09:00:00Z") },
    { name: "Opus", percent: 12, resetsAt: Date.parse("2026-11-25T09:00:00Z") },
    { name: "Extra", percent: 0.4, resetsAt: 0 },
  ],
};

export const usageHandlers: Handlers = {
  "usage.query": ({ groupBy, from, to, sessionId }) =>
    usageReport(all.filter((r) => (!from || r.day >= from) && (!to || r.day <= to) && (!sessionId || r.sessionId === sessionId)), groupBy, { since: dayOf(74) }),
  "usage.budgets": () => ({
    budgets: [
      { name: "day-usd", period: today, limit: 12, used: 10.4, level: 80 },
      { name: "month-tokens", period: "2026-11", limit: 400_000_000, used: 121_000_000, level: 0 },
    ],
  }),
  "usage.context": () => contextReport(),
};

/** The settings with budgets. */
export const withBudgets = { budgetDayUSD: 12, budgetMonthTokens: 400_000_000 };

export const noUsage: Handlers = { "usage.query": ({ groupBy }) => usageReport([], groupBy), "usage.budgets": () => ({ budgets: [] }) };

export const brokenUsage: Handlers = {
  "usage.query": () => {
    throw new HostError("unavailable", "Parley's own file cannot be read. Free some disk space.");
  },
};
