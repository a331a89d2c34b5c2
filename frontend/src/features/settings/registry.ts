// All settings of the program: their page and control. Their texts are in the catalog. The pages, the search and the
// links to settings are generated from this list; a test compares it with the program's settings.

import { languages, text } from "../../i18n";
import type { en } from "../../i18n/en";
import type { Settings } from "../../host/border.gen";
import { accents, schemes } from "./look";

export const pageIds = ["general", "look", "keys", "notices", "new", "rooms", "budgets", "cli", "profiles", "devices", "files", "health", "log"] as const;
export type PageId = (typeof pageIds)[number];

interface Option {
  id: string;
  name: string;
}

type Control =
  | { kind: "choice"; options: () => Option[] }
  | { kind: "swatches"; options: () => Option[] }
  | { kind: "number"; least: number; most: number; step?: number; unit: "minutes" | "hours" | "seconds" | "pixels" | "percent" | "dollars" | "tokens" | "turns" | "messages" | "port" }
  | { kind: "text"; placeholder: () => string }
  | { kind: "toggle" }
  /** Rendered by its page. */
  | { kind: "own" };

/** A setting with texts. */
type SettingId = keyof Settings & keyof typeof en.settings.fields;

export interface Entry {
  id: SettingId;
  page: PageId;
  control: Control;
  /** Only applies to the app window. */
  window?: true;
}

const options = <T extends string>(ids: readonly T[], names: () => { [K in T]: string }) => () => ids.map((id): Option => ({ id, name: names()[id] }));
const toggle: Control = { kind: "toggle" };
const own: Control = { kind: "own" };

export const registry: readonly Entry[] = [
  { id: "language", page: "general", control: { kind: "choice", options: () => [{ id: "system", name: text().settings.systemLanguage }, ...languages.map(({ code, name }) => ({ id: code, name }))] } },
  { id: "whileBusy", page: "general", control: { kind: "choice", options: options(["steer", "queue"] as const, () => text().settings.ways) } },
  { id: "suggestions", page: "general", control: toggle },
  { id: "suspendMinutes", page: "general", control: { kind: "number", least: 0, most: 10_080, unit: "minutes" } },
  { id: "questionTimeoutHours", page: "general", control: { kind: "number", least: 1, most: 720, unit: "hours" } },
  { id: "startAtLogin", page: "general", control: toggle, window: true },
  { id: "showTray", page: "general", control: toggle, window: true },
  { id: "closeToTray", page: "general", control: toggle, window: true },
  { id: "closeWhileWorking", page: "general", control: { kind: "choice", options: options(["ask", "background", "quit"] as const, () => text().settings.closings) }, window: true },
  { id: "editor", page: "general", control: { kind: "text", placeholder: () => "code" } },

  { id: "theme", page: "look", control: { kind: "choice", options: options(["system", "light", "dark"] as const, () => text().settings.themes) } },
  { id: "scheme", page: "look", control: { kind: "swatches", options: () => schemes.map(({ id }) => ({ id, name: text().settings.schemes[id] })) } },
  { id: "accent", page: "look", control: { kind: "swatches", options: () => [{ id: "", name: text().settings.ownAccent }, ...accents.map((id) => ({ id, name: text().settings.accents[id] }))] } },
  { id: "font", page: "look", control: { kind: "text", placeholder: () => text().settings.systemFont } },
  { id: "fontSize", page: "look", control: { kind: "number", least: 10, most: 24, unit: "pixels" } },
  { id: "codeFont", page: "look", control: { kind: "text", placeholder: () => text().settings.systemFont } },
  { id: "codeFontSize", page: "look", control: { kind: "number", least: 10, most: 24, unit: "pixels" } },
  { id: "density", page: "look", control: { kind: "choice", options: options(["comfortable", "compact"] as const, () => text().settings.densities) } },
  { id: "zoom", page: "look", control: { kind: "number", least: 50, most: 300, step: 10, unit: "percent" } },
  { id: "menuBar", page: "look", control: toggle, window: true },

  { id: "shortcuts", page: "keys", control: own },

  { id: "doNotDisturbUntil", page: "notices", control: own },
  { id: "notifyDone", page: "notices", control: toggle },
  { id: "notifyAfterSeconds", page: "notices", control: { kind: "number", least: 0, most: 3600, unit: "seconds" } },
  { id: "notifyQuestion", page: "notices", control: toggle },
  { id: "notifyFailure", page: "notices", control: toggle },

  { id: "model", page: "new", control: own },
  { id: "permissionMode", page: "new", control: own },
  { id: "engine", page: "new", control: own },
  { id: "guard", page: "new", control: { kind: "choice", options: options(["off", "static", "reviewed"] as const, () => text().settings.guards) } },
  { id: "reviewerModel", page: "new", control: { kind: "text", placeholder: () => "haiku" } },
  { id: "allowUnrecorded", page: "new", control: toggle },
  { id: "toolsOff", page: "new", control: own },
  { id: "memoryInject", page: "new", control: toggle },
  { id: "memoryBudgetTokens", page: "new", control: { kind: "number", least: 200, most: 20_000, step: 100, unit: "tokens" } },

  { id: "roomNick", page: "rooms", control: { kind: "text", placeholder: () => "" } },
  { id: "roomWake", page: "rooms", control: { kind: "choice", options: options(["off", "mention", "any"] as const, () => text().settings.roomWakes) } },
  { id: "roomTurnsPerHour", page: "rooms", control: { kind: "number", least: 0, most: 1000, unit: "turns" } },
  { id: "roomMaxHops", page: "rooms", control: { kind: "number", least: 0, most: 1000, unit: "messages" } },
  { id: "roomHours", page: "rooms", control: { kind: "number", least: 1, most: 720, unit: "hours" } },
  { id: "natsUrl", page: "rooms", control: { kind: "text", placeholder: () => "nats://host:4222" } },
  { id: "natsCredentials", page: "rooms", control: { kind: "text", placeholder: () => "/home/ada/parley.creds" } },

  { id: "budgetDayUSD", page: "budgets", control: { kind: "number", least: 0, most: 1_000_000, step: 0.01, unit: "dollars" } },
  { id: "budgetMonthUSD", page: "budgets", control: { kind: "number", least: 0, most: 1_000_000, step: 0.01, unit: "dollars" } },
  { id: "budgetDayTokens", page: "budgets", control: { kind: "number", least: 0, most: 1_000_000_000_000, unit: "tokens" } },
  { id: "budgetMonthTokens", page: "budgets", control: { kind: "number", least: 0, most: 1_000_000_000_000, unit: "tokens" } },

  { id: "browserPort", page: "devices", control: { kind: "number", least: 0, most: 65_535, unit: "port" }, window: true },
  { id: "cliPath", page: "cli", control: { kind: "text", placeholder: () => "/usr/local/bin/claude" } },
];

export const entriesOf = (page: PageId): Entry[] => registry.filter((entry) => entry.page === page);

/** What pages contain besides settings, for the search. */
export function extras(): { id: string; page: PageId; label: string; about: string }[] {
  const words = text().settings;
  return [
    { id: "chat", page: "general", label: text().chat.title, about: text().chat.settings },
    { id: "ownStyles", page: "look", label: words.own.label, about: words.own.about },
    { id: "permissions", page: "new", label: text().permission.title, about: text().permission.about },
    { id: "profiles", page: "profiles", label: words.pages.profiles, about: "" },
    { id: "cli", page: "cli", label: words.pages.cli, about: "" },
    { id: "devices", page: "devices", label: text().devices.title, about: text().devices.about },
    { id: "ways", page: "notices", label: text().ways.title, about: text().ways.about },
    { id: "export", page: "files", label: words.files.export, about: words.files.exportAbout },
    { id: "import", page: "files", label: words.files.import, about: words.files.importAbout },
    { id: "file", page: "files", label: words.files.file, about: words.files.fileAbout },
    { id: "snapshots", page: "files", label: text().snapshots.title, about: text().snapshots.about },
    { id: "health", page: "health", label: words.pages.health, about: words.health.about },
    { id: "log", page: "log", label: words.pages.log, about: words.log.about },
    { id: "diagnostics", page: "log", label: words.log.copyDiagnostics, about: words.log.copyAbout },
  ];
}

/** The page of a link: given by the page's id, or that of something on it. */
export function pageOf(where: string): PageId | null {
  const page = pageIds.find((id) => id === where);
  if (page) return page;
  return registry.find((entry) => entry.id === where)?.page ?? extras().find((extra) => extra.id === where)?.page ?? null;
}

const plain = (words: string) => words.toLocaleLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

/** Whether every word of the query is in one of the texts. */
export function finds(query: string, ...texts: string[]): boolean {
  const all = plain(texts.join(" "));
  return plain(query).split(/\s+/).every((word) => all.includes(word));
}

/** Splits a text; the pieces at odd indexes match words of the query. */
export function pieces(words: string, query: string): string[] {
  const wanted = query.trim().split(/\s+/).filter((word) => word !== "").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return wanted.length === 0 ? [words] : words.split(new RegExp(`(${wanted.join("|")})`, "gi"));
}
