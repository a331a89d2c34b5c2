// A heartbeat being edited: the values of the form's controls, converted from and to a spec. Fields without a control
// pass through unchanged.

import type { Budgets, Limit, Problem, Spec } from "../../host/border.gen";
import { durationOf, scheduleOf, type Span, spanOf, usualWhen, type When, whenOf } from "./schedule";

export const periods = ["run", "day", "month"] as const;
export const limitKinds = ["tokens", "usd", "turns"] as const;
export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

type LimitDraft = Record<(typeof limitKinds)[number], string>;

export interface Draft {
  name: string;
  description: string;
  prompt: string;
  when: When;
  folder: string;
  model: string;
  effort: string;
  permissionMode: string;
  guard: string;
  session: "fresh" | "persistent" | "existing";
  sessionId: string;
  channel: string;
  enabled: boolean;
  quiet: boolean;
  quietFrom: string;
  quietTo: string;
  quietDays: string[];
  missed: string;
  overlap: string;
  /** How often usage limits may postpone it; only for one-time heartbeats. */
  again: number;
  startDeadline: Span;
  timeout: Span;
  idlePause: Span;
  budgets: Record<(typeof periods)[number], LimitDraft>;
}

export const emptySpec = (folder = ""): Spec => ({ name: "", prompt: "", schedule: scheduleOf(usualWhen), folder, enabled: true });

export function draftOf(spec: Spec, machineZone = ""): Draft {
  const session = spec.destination?.session ? "existing" : spec.session === "persistent" ? "persistent" : "fresh";
  return {
    name: spec.name,
    description: spec.description ?? "",
    prompt: spec.prompt,
    when: whenOf(spec.schedule, machineZone),
    folder: spec.folder,
    model: spec.model ?? "",
    effort: spec.effort ?? "",
    permissionMode: spec.permissionMode ?? "",
    guard: spec.guard ?? "",
    session,
    sessionId: spec.destination?.session ?? "",
    channel: spec.destination?.channel ?? "",
    enabled: spec.enabled,
    quiet: spec.quiet !== undefined,
    quietFrom: spec.quiet?.from ?? "22:00",
    quietTo: spec.quiet?.to ?? "07:00",
    quietDays: [...(spec.quiet?.days ?? [])],
    missed: spec.missed ?? "",
    overlap: spec.overlap ?? "",
    again: spec.again ?? 0,
    startDeadline: spanOf(spec.startDeadline, "m"),
    timeout: spanOf(spec.timeout, "m"),
    idlePause: spanOf(spec.idlePause, "d"),
    budgets: { run: limitDraft(spec.budgets?.run), day: limitDraft(spec.budgets?.day), month: limitDraft(spec.budgets?.month) },
  };
}

const limitDraft = (limit: Limit | undefined): LimitDraft => ({ tokens: figure(limit?.tokens), usd: figure(limit?.usd), turns: figure(limit?.turns) });

const figure = (n: number | undefined): string => (n ? String(n) : "");

/** The resulting heartbeat, without default values. */
export function specOf(draft: Draft): Spec {
  const spec: Spec = { name: draft.name.trim(), prompt: draft.prompt, schedule: scheduleOf(draft.when), folder: draft.folder, enabled: draft.enabled };
  const put = <K extends keyof Spec>(key: K, value: Spec[K] | "") => value !== "" && value !== undefined && (spec[key] = value);
  put("description", draft.description.trim());
  put("model", draft.model);
  put("effort", draft.effort);
  put("permissionMode", draft.permissionMode);
  put("guard", draft.guard);
  if (draft.session === "persistent") spec.session = "persistent";
  const destination = { ...(draft.session === "existing" && draft.sessionId ? { session: draft.sessionId } : {}), ...(draft.channel ? { channel: draft.channel } : {}) };
  if (Object.keys(destination).length > 0) spec.destination = destination;
  if (draft.quiet) spec.quiet = { from: draft.quietFrom, to: draft.quietTo, ...(draft.quietDays.length > 0 ? { days: weekdays.filter((day) => draft.quietDays.includes(day)) } : {}) };
  put("missed", draft.missed);
  put("overlap", draft.overlap);
  if (spec.schedule.runAt && draft.again > 0) spec.again = draft.again;
  put("startDeadline", durationOf(draft.startDeadline));
  put("timeout", durationOf(draft.timeout));
  put("idlePause", durationOf(draft.idlePause));
  const budgets = budgetsOf(draft.budgets);
  if (Object.keys(budgets).length > 0) spec.budgets = budgets;
  return spec;
}

function budgetsOf(drafts: Draft["budgets"]): Budgets {
  const budgets: Budgets = {};
  for (const period of periods) {
    const limit: Limit = {};
    for (const kind of limitKinds) {
      const n = Number(drafts[period][kind]);
      if (drafts[period][kind].trim() !== "" && Number.isFinite(n)) limit[kind] = n;
    }
    if (Object.keys(limit).length > 0) budgets[period] = limit;
  }
  return budgets;
}

/** The problems of one field and its subfields. */
export const problemsOf = (problems: readonly Problem[], field: string): Problem[] =>
  problems.filter((problem) => problem.field === field || problem.field.startsWith(`${field}.`));

/** A heartbeat as in the file, without runtime state. */
export function plainSpec(heartbeat: Spec): Spec {
  const keys = [
    "name", "description", "prompt", "schedule", "folder", "model", "effort", "permissionMode", "guard", "session", "destination", "timeout",
    "enabled", "quiet", "missed", "overlap", "again", "startDeadline", "idlePause", "budgets",
  ] as const satisfies readonly (keyof Spec)[];
  return structuredClone(Object.fromEntries(keys.flatMap((key) => (heartbeat[key] === undefined ? [] : [[key, heartbeat[key]]]))) as unknown as Spec);
}

/** An unused name for a copy. */
export function freeName(name: string, taken: readonly string[]): string {
  const [, stem = name, last] = /^(.*?)-(\d+)$/.exec(name) ?? [];
  for (let n = Number(last ?? 1) + 1; ; n++) {
    const next = `${stem.slice(0, 60)}-${n}`;
    if (!taken.includes(next)) return next;
  }
}
