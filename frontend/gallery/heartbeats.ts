// Heartbeats, their file and what became of them in some weeks: made up, the same every time.

import { createFakeHost, type Handlers } from "../src/host/fake";
import { HostError } from "../src/host/host";
import type { Heartbeat, HeartbeatCheck, HeartbeatList, HeartbeatRecord, HeartbeatSpent, OpenQuestion, Problem, Session } from "../src/host/border.gen";
import { openQuestion } from "../src/features/approval/gallery";
import { session } from "./fixtures";
import type { PaneScene } from "./panes";
import { click, press, type, when } from "./press";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.now();
const folder = "/home/ada/projects/parley";
/** Midnight, so many days ago. */
const midnight = (ago: number) => new Date(new Date(now).setHours(0, 0, 0, 0)).setDate(new Date(now).getDate() - ago);

const spent = (runs: number, costUSD: number): HeartbeatSpent => ({ runs, turns: runs * 3, tokens: runs * 18_400, costUSD });

export function heartbeatRecord(id: string, name: string, dueAt: number, change: Partial<HeartbeatRecord> = {}): HeartbeatRecord {
  const state = change.state ?? "finished";
  const ran = ["finished", "failed", "started", "cancelled"].includes(state);
  return {
    id, name, state, trigger: "schedule", reason: "", code: "", dueAt, startedAt: ran ? dueAt + 340 : 0, endedAt: ran && state !== "started" ? dueAt + 84_000 : 0, lateMs: ran ? 340 : 0,
    sessionId: ran ? "s4" : "", turnId: "", turns: ran ? 3 : 0, tokens: ran ? 18_400 : 0, costUSD: ran ? 0.042 : 0, count: 1, firstAt: dueAt, found: state === "finished", answer: "", usage: null, ...change,
  };
}

export function heartbeat(name: string, change: Partial<Heartbeat> = {}): Heartbeat {
  return {
    name, prompt: "Look at what changed.", schedule: { cron: "0 8 * * 1-5" }, folder, enabled: true, state: "idle", why: "", next: now + 3 * hour + 20 * minute, words: "", line: 1, last: null, running: null,
    today: spent(0, 0), month: spent(0, 0), ...change,
  };
}

const records: HeartbeatRecord[] = [];
for (let ago = 0; ago < 34; ago++) {
  const at = midnight(ago);
  const weekday = new Date(at).getDay();
  const add = (name: string, dueAt: number, change: Partial<HeartbeatRecord> = {}) => dueAt < now && records.push(heartbeatRecord(`r${records.length}`, name, dueAt, change));
  if (ago === 0) add("release-watch", now - 5 * minute, { state: "started", sessionId: "s2", tokens: 0, costUSD: 0, turns: 0 });
  for (let i = 0; i < 5; i++) {
    const dueAt = at + (9 + 2 * i) * hour;
    if (ago === 11 && i > 1) add("release-watch", dueAt, { state: "missed", code: "", reason: "Parley was not running." });
    else add("release-watch", dueAt, { found: (ago + i) % 6 === 0, endedAt: dueAt + (20 + 7 * i) * 1000, answer: (ago + i) % 6 === 0 ? "Version 2.4 of the parser is out; two of its changes matter here." : "Nothing to do.", costUSD: 0.011, tokens: 6200, turns: 1 });
  }
  if (weekday > 0 && weekday < 6) add("morning-summary", at + 8 * hour, { answer: "Seven commits since yesterday: the upload repeats lost parts now." });
  if (ago < 3) add("nightly-tests", at + 2.5 * hour, { state: "failed", code: "auth", reason: "Claude Code is not signed in. Sign in, or choose a profile with a credential.", found: false, tokens: 0, costUSD: 0, turns: 0, endedAt: at + 2.5 * hour + 2100 });
  else if (ago === 17) add("nightly-tests", at + 2.5 * hour, { state: "cancelled", code: "timeout", reason: "It took longer than 10 minutes.", endedAt: at + 2.5 * hour + 10 * minute, costUSD: 0.61, tokens: 240_000, turns: 22 });
  else if (ago % 7 === 5) add("nightly-tests", at + 2.5 * hour, { state: "late", code: "deadline" });
  else add("nightly-tests", at + 2.5 * hour, { found: ago % 9 === 4, answer: ago % 9 === 4 ? "Two tests fail since the last run: TestRepeatPart and TestSlowLink." : "", endedAt: at + 2.5 * hour + 6.4 * minute, lateMs: ago === 8 ? 1_860_000 : 200, startedAt: at + 2.5 * hour + (ago === 8 ? 1_860_000 : 200), costUSD: 0.22, tokens: 96_000, turns: 9 });
  if (weekday === 6) add("notes-index", at + 12 * hour, { state: "skipped", code: "idle", count: 12, firstAt: at });
}
records.sort((a, b) => b.dueAt - a.dueAt || a.id.localeCompare(b.id));
const last = (name: string) => records.find((record) => record.name === name && record.state !== "started") ?? null;

export const heartbeats: Heartbeat[] = [
  heartbeat("morning-summary", {
    description: "What happened since yesterday", prompt: "It is {{datetime}}. Sum up what was committed in {{folder}} since {{lastAt}}.", next: midnight(-2) + 8 * hour,
    last: last("morning-summary"), today: spent(0, 0), month: spent(15, 0.63), line: 3,
  }),
  heartbeat("release-watch", {
    description: "Tells when a library that we use has a new version", schedule: { every: "2h" }, state: "running", next: now + 55 * minute, last: last("release-watch"),
    running: records.find((record) => record.state === "started") ?? null, today: spent(4, 0.044), month: spent(96, 1.06), line: 14,
    quiet: { from: "22:00", to: "07:00", days: ["mon", "tue"] }, budgets: { run: { usd: 0.5 }, day: { usd: 2, tokens: 400_000 } }, idlePause: "3d", guard: "static", model: "haiku",
  }),
  heartbeat("nightly-tests", {
    schedule: { cron: "30 2 * * *", zone: "America/New_York" }, state: "stopped", why: "Turned off automatically after 3 failures in a row. Last error: Claude Code is not signed in. Sign in, or choose a profile with a credential.", next: 0, last: last("nightly-tests"), today: spent(1, 0), month: spent(21, 3.96), line: 25,
  }),
  heartbeat("dependency-check", { schedule: { cron: "0 9 * * 1" }, enabled: false, state: "off", next: 0, line: 34 }),
  heartbeat("notes-index", { description: "Keeps the index of the reading notes in order", folder: "/home/ada/notes", schedule: { cron: "0 12 1-7 * 6" }, words: "at 12:00 on the first Saturday of the month", next: now + 13 * day, last: last("notes-index"), line: 41, destination: { session: "s5" } }),
];

const list = (change: Partial<HeartbeatList> = {}): HeartbeatList => ({
  heartbeats, file: "/home/ada/.config/parley/heartbeats.yaml", revision: "a1", problems: [], stale: false, paused: false, pausedUntil: 0, zone: "Europe/Berlin", today: spent(5, 0.044), month: spent(132, 5.65), ...change,
});

const yaml = `# What Claude looks after by itself.
heartbeats:
  morning-summary:
    description: What happened since yesterday
    schedule:
      cron: "0 8 * * 1-5"
    folder: ~/projects/parley
    prompt: |
      It is {{datetime}}. Sum up what was committed in {{folder}}
      since {{lastAt}}, in at most five lines. Change nothing.

  # Every two hours, but not at night.
  release-watch:
    schedule:
      every: 2h
    quiet: { from: "22:00", to: "07:00" }
    folder: ~/projects/parley
    prompt: Look whether a library that we use has a new version.
    budgets:
      run: { usd: 0.5 }
      day: { usd: 2, tokens: 400000 }
`;

export const yamlProblems: Problem[] = [
  { line: 6, column: 13, name: "morning-summary", field: "schedule.cron", message: "“0 8 * * 1-9” is not a cron expression: the weekday 9 is above 7." },
  { line: 14, column: 5, name: "release-watch", field: "schedul", message: "There is no field \"schedul\". Do you mean schedule?" },
];

const next = (n: number) => Array.from({ length: n }, (_, i) => midnight(-1 - i - (i > 0 ? 1 : 0)) + 9 * hour);

const check = (change: Partial<HeartbeatCheck> = {}): HeartbeatCheck => ({ problems: [], words: "", next: next(10), zone: "Europe/Berlin", ...change });

export const heartbeatHandlers: Handlers = {
  "heartbeat.list": () => structuredClone(list()),
  "heartbeat.get": ({ name }) => heartbeat(name),
  "heartbeat.save": ({ spec }) => ({ ...heartbeat(spec.name), ...spec }),
  "heartbeat.delete": () => ({}),
  "heartbeat.enable": ({ name, enabled }) => heartbeat(name, { enabled }),
  "heartbeat.run": () => ({ recordId: "r1" }),
  "heartbeat.cancel": () => ({}),
  "heartbeat.pause": () => ({}),
  "heartbeat.history": ({ name, before, limit = 100 }) => {
    const fits = records.filter((record) => !name || record.name === name);
    const from = before ? fits.findIndex(({ id }) => id === before) + 1 : 0;
    return { records: fits.slice(from, from + limit), more: fits.length > from + limit };
  },
  "heartbeat.check": ({ spec, text }) => {
    if (text !== undefined) return check({ next: [], problems: text.includes("1-9") ? yamlProblems : [] });
    const problems: Problem[] = [];
    if (spec?.name === "") problems.push({ line: 0, column: 0, name: "", field: "name", message: "Enter a name." });
    if (spec?.prompt === "") problems.push({ line: 0, column: 0, name: spec.name, field: "prompt", message: "Enter a prompt." });
    if (spec?.schedule.every === "") problems.push({ line: 0, column: 0, name: spec.name, field: "schedule.every", message: "A duration is missing, like 15m or 2h." });
    const hours = /^(\d+)h$/.exec(spec?.schedule.every ?? "")?.[1];
    return check({ problems, ...(hours ? { next: Array.from({ length: 10 }, (_, i) => now + (i + 1) * Number(hours) * hour) } : {}) });
  },
  "heartbeat.preview": ({ name }) => ({
    prompt: `It is Saturday, 21 November 2026, 16:30. Sum up what was committed in ${folder} since Friday, 20 November 2026, 08:00, in at most five lines. Change nothing.\n\nIf nothing was committed, say that there is nothing to do.`,
    folder, model: "claude-haiku-5-5", permissionMode: "default", next: next(10), basis: name === "dependency-check" ? 0 : 5, tokens: 18_400, costUSD: 0.042, runsPerMonth: 22, blocked: "",
  }),
  "heartbeat.getFile": () => ({ text: yaml, revision: "a1" }),
  "heartbeat.setFile": ({ text }) => ({ text, revision: "a2" }),
  "heartbeat.schema": () => ({ schema: "{}" }),
};

export const noHeartbeats: Handlers = {
  "heartbeat.list": () => list({ heartbeats: [], today: spent(0, 0), month: spent(0, 0) }),
  "heartbeat.history": () => ({ records: [], more: false }),
};

export const brokenFile: Handlers = {
  "heartbeat.list": () => structuredClone(list({ problems: yamlProblems, stale: true })),
  "heartbeat.getFile": () => ({ text: yaml.replace("1-5", "1-9").replace("    schedule:\n      every", "    schedul:\n      every"), revision: "a1" }),
};

export const pausedHeartbeats: Handlers = { "heartbeat.list": () => structuredClone(list({ paused: true, pausedUntil: midnight(-1) + 8 * hour })) };

const unread: Handlers = {
  "heartbeat.list": () => {
    throw new HostError("unavailable", "Another Parley runs these heartbeats, because it uses the same file: /home/ada/.local/share/parley/heartbeats.yaml.");
  },
};

/** Runs in the list of sessions: one that found something, one that asks, and quiet ones. */
const runs: Session[] = [
  session("s1", { title: "Retry the upload when the link drops", workspaceId: "w1", lastActivityAt: now - minute }),
  session("h1", { title: "morning-summary, 20 Nov", workspaceId: "w1", heartbeat: "morning-summary", lastActivityAt: now - 31 * hour }),
  session("h2", { title: "release-watch, 16:25", workspaceId: "w1", heartbeat: "release-watch", state: "waiting", openQuestions: 1, lastActivityAt: now - 4 * minute }),
  ...Array.from({ length: 9 }, (_, i) => session(`q${i}`, { title: `release-watch, ${15 - i}:00`, workspaceId: "w1", heartbeat: "release-watch", quiet: true, lastActivityAt: now - (i + 1) * 2 * hour })),
  session("s5", { title: "Sort the reading notes by topic", workspaceId: "w3", cwd: "/home/ada/notes", lastActivityAt: now - 26 * hour }),
];

/** The page of heartbeats in every state, and their runs beside other sessions. */
export function heartbeatScenes(handlers: (change?: Handlers, open?: OpenQuestion[]) => Handlers): Record<string, () => PaneScene> {
  const page = (change: Handlers, begin: () => void = () => {}, tab = "", name = "") => (): PaneScene => ({
    host: createFakeHost(handlers({ ...heartbeatHandlers, ...change })),
    open: "s1",
    begin: (app) => {
      app.layout.go({ kind: "heartbeats", tab, ...(name ? { name } : {}) });
      begin();
    },
  });
  const menu = (downs: number) => () => {
    when<HTMLElement>('[data-component="heartbeats"] [data-slot="acts"] [aria-haspopup]', (trigger) => {
      trigger.focus();
      press("Enter");
      when('[role="menuitem"][data-highlighted]', () => {
        for (let i = 0; i < downs; i++) press("ArrowDown");
        requestAnimationFrame(() => press("Enter"));
      });
    });
  };
  return {
    heartbeats: page({}),
    heartbeatsNone: page(noHeartbeats),
    heartbeatsFailed: page(unread),
    heartbeatsTrouble: page({ ...brokenFile, ...pausedHeartbeats, "heartbeat.list": () => structuredClone(list({ problems: yamlProblems, stale: true, paused: true, pausedUntil: midnight(-1) + 8 * hour })) }),
    heartbeatForm: page(noHeartbeats, () => click('[data-slot="card"]', "", () => when('[data-slot="next-runs"] li', () => {}))),
    heartbeatFormFaults: page({}, () => click('[data-component="heartbeats"] [data-slot="tools"] [data-variant="primary"]', "", () => click('[data-slot="form"] [type="submit"]'))),
    heartbeatFormAll: page({ "heartbeat.list": () => structuredClone(list({ heartbeats: heartbeats.slice(1, 2) })) }, menu(0)),
    heartbeatDryRun: page({}, menu(2)),
    heartbeatFile: page(brokenFile, () => type('[data-slot="editor"] textarea', yaml.replace("1-5", "1-9")), "file"),
    heartbeatHistory: page({}, () => {}, "history"),
    heartbeatDay: page({}, () => when<HTMLElement>('[data-slot="plot"] [data-at="2:26"]', (cell) => cell.click()), "history"),
    heartbeatRuns: () => ({
      host: createFakeHost(
        handlers(
          { ...heartbeatHandlers, "session.list": () => ({ sessions: runs, total: runs.length }) },
          [openQuestion("hq", { sessionId: "h2", askedAt: now - 4 * minute, heartbeat: "release-watch", input: { command: "git fetch --tags" } })],
        ),
      ),
      open: "h2",
    }),
  };
}
