// The sidebar's rows as one flat list: sessions with pending requests, pinned ones, and then the workspaces with their
// sessions, or the days. Pure, except for the language of the names.

import { locale, text } from "../../i18n";
import type { Entry } from "../../store/listing";

export type Grouping = "workspace" | "time";
/** The section of a session's row. "group" is within a workspace, so the folder is omitted. */
type Section = "waiting" | "pinned" | "group" | "time";

export type Row =
  | { kind: "heading"; key: string; title: string; section: "waiting" | "pinned" | "time" }
  | { kind: "group"; key: string; group: string; title: string; count: number; open: boolean }
  | { kind: "session"; key: string; id: string; section: Section; group: string }
  | { kind: "more"; key: string; group: string; hidden: number }
  /** The runs of heartbeats without findings, collapsed; group is where they are. */
  | { kind: "quiet"; key: string; group: string; count: number; open: boolean };

/** The properties of a workspace that the list needs. */
export interface WorkspaceName {
  title: string;
  pinned: boolean;
}

export interface View {
  grouping: Grouping;
  filter: string;
  /** Folded groups. */
  folded: ReadonlySet<string>;
  /** Groups that show all their sessions. */
  whole: ReadonlySet<string>;
  /** Groups that show runs without findings. */
  loud: ReadonlySet<string>;
  /** The current session: its group shows it, however old it is. */
  current: string | null;
  /** In display order. */
  workspaces: ReadonlyMap<string, WorkspaceName>;
  now: number;
}

/** The number of sessions a group shows until the user asks for more. */
export const groupSize = 6;
/** Sessions whose workspace is not listed, grouped at the end. */
const otherGroup = "other";

export function rowsOf(entries: readonly Entry[], view: View): Row[] {
  const found = entries.filter(matcher(view));
  const waiting = found.filter((entry) => entry.waiting);
  const pinned = found.filter((entry) => entry.pinned && !entry.waiting);
  const rest = found.filter((entry) => !entry.pinned && !entry.waiting);
  return [
    ...section("waiting", text().sessions.headings.waiting, waiting),
    ...section("pinned", text().sessions.headings.pinned, pinned),
    ...(view.grouping === "workspace" ? groupRows(rest, view) : timeRows(rest, view)),
  ];
}

/** A list sorted by time only: the archive, the trash. */
export function plainRows(entries: readonly Entry[], view: View): Row[] {
  return entries.filter(matcher(view)).map((entry) => sessionRow("time", "", entry.id));
}

/** Whether every word of the filter is in an entry's title, its folder or its workspace's name. */
function matcher(view: View): (entry: Entry) => boolean {
  const words = view.filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return () => true;
  const untitled = text().common.newSession;
  return (entry) => {
    const name = view.workspaces.get(entry.workspaceId)?.title ?? "";
    const all = `${entry.title || untitled} ${entry.cwd} ${name}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

// A session has the same key in a group, before its folder is known, and in a list by time: its elements survive while
// it is clicked.
const sessionRow = (section: Section, group: string, id: string): Row => ({
  kind: "session",
  key: `s:${section === "time" || section === "group" ? "list" : section}:${id}`,
  id,
  section,
  group,
});

function section(name: "waiting" | "pinned", title: string, entries: Entry[]): Row[] {
  if (entries.length === 0) return [];
  return [
    { kind: "heading", key: `h:${name}`, title, section: name },
    ...entries.map((entry) => sessionRow(name, "", entry.id)),
  ];
}

/** Separates the runs without findings, unless the user filters for or has opened one. */
function withoutQuiet(entries: readonly Entry[], view: View): { shown: Entry[]; quiet: Entry[] } {
  if (view.filter !== "") return { shown: [...entries], quiet: [] };
  const isQuiet = (entry: Entry) => entry.quiet && !entry.busy && entry.id !== view.current;
  return { shown: entries.filter((entry) => !isQuiet(entry)), quiet: entries.filter(isQuiet) };
}

function quietRows(quiet: readonly Entry[], group: string, section: Section, view: View): Row[] {
  if (quiet.length === 0) return [];
  const open = view.loud.has(group);
  const head: Row = { kind: "quiet", key: `q:${group}`, group, count: quiet.length, open };
  return open ? [head, ...quiet.map((entry) => sessionRow(section, section === "group" ? group : "", entry.id))] : [head];
}

function groupRows(entries: readonly Entry[], view: View): Row[] {
  const byGroup = new Map<string, Entry[]>();
  for (const entry of entries) {
    const id = view.workspaces.has(entry.workspaceId) ? entry.workspaceId : otherGroup;
    const list = byGroup.get(id);
    if (list) list.push(entry);
    else byGroup.set(id, [entry]);
  }
  const rows: Row[] = [];
  for (const id of [...view.workspaces.keys(), otherGroup]) {
    const workspace = view.workspaces.get(id);
    const all = byGroup.get(id) ?? [];
    // An empty workspace is listed only if it is pinned, as a place to start sessions.
    if (all.length === 0 && (!workspace?.pinned || view.filter !== "")) continue;
    const open = view.filter !== "" || !view.folded.has(id);
    const title = workspace?.title ?? text().sessions.otherFolders;
    rows.push({ kind: "group", key: `g:${id}`, group: id, title, count: all.length, open });
    if (!open) continue;
    const { shown: list, quiet } = withoutQuiet(all, view);
    const section = workspace ? "group" : "time";
    // If only one more would be hidden, show it instead of a counter.
    const whole = view.filter !== "" || view.whole.has(id) || list.length <= groupSize + 1;
    const shown = whole ? list : list.filter((entry, i) => i < groupSize || entry.id === view.current);
    for (const entry of shown) rows.push(sessionRow(section, id, entry.id));
    if (shown.length < list.length) {
      rows.push({ kind: "more", key: `m:${id}`, group: id, hidden: list.length - shown.length });
    }
    rows.push(...quietRows(quiet, id, section, view));
  }
  return rows;
}

function timeRows(entries: readonly Entry[], view: View): Row[] {
  const rows: Row[] = [];
  const name = periods(view.now);
  let last = "";
  let hushed: Entry[] = [];
  const end = () => {
    rows.push(...quietRows(hushed, `t:${last}`, "time", view));
    hushed = [];
  };
  const quiet = new Set(withoutQuiet(entries, view).quiet);
  for (const entry of entries) {
    const title = name(entry.at);
    if (title !== last) {
      end();
      rows.push({ kind: "heading", key: `t:${title}`, title, section: "time" });
    }
    last = title;
    if (quiet.has(entry)) hushed.push(entry);
    else rows.push(sessionRow("time", "", entry.id));
  }
  end();
  return rows;
}

/** Names the day, week or month of a time. */
function periods(now: number): (at: number) => string {
  const day = (days: number) => {
    const date = new Date(now);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
  };
  const [today, yesterday, week] = [day(0), day(1), day(7)];
  const { headings } = text().sessions;
  const month = new Intl.DateTimeFormat(locale(), { month: "long", year: "numeric" });
  // Cached: formatting thousands of dates takes longer than everything else.
  const months = new Map<number, string>();
  return (at) => {
    if (at >= today) return headings.today;
    if (at >= yesterday) return headings.yesterday;
    if (at >= week) return headings.week;
    const date = new Date(at);
    const key = date.getFullYear() * 12 + date.getMonth();
    const known = months.get(key);
    if (known !== undefined) return known;
    const title = month.format(date);
    months.set(key, title);
    return title;
  };
}
