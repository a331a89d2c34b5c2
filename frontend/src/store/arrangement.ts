// The window's layout as plain data: saving and loading it, and how opening, closing and moving change panes and tabs.

import { field, listField, numberField, textField, textsField } from "../lib/shape";

interface Pane {
  /** Ids of sessions, and tabs of places. */
  tabs: string[];
  /** The active tab, null for none. */
  active: string | null;
}

/** A position in a conversation: a message, and the distance of its top below the pane's. */
export interface Place {
  message: string;
  offset: number;
}

export interface LayoutState {
  /** One or two. */
  panes: Pane[];
  /** The index of the focused pane. */
  focused: number;
  /** The first pane's share of the width. */
  ratio: number;
  sidebar: { width: number; collapsed: boolean };
  /** The side panel, and its tab. */
  inspector: { open: boolean; width: number; tab: string };
  /** By session id; only sessions with a tab. A missing one means the end. */
  places: Record<string, Place>;
}

/** The places that open as tabs beside the sessions. */
export const placeKinds = ["chat", "heartbeats", "memory", "permissions", "processes", "rooms", "settings", "usage"] as const;
export type PlaceKind = (typeof placeKinds)[number];

const prefix = "place:";
/** The tab id of a place. No session has such an id. */
export const placeTab = (kind: PlaceKind): string => prefix + kind;
/** The place of a tab, null for a session's. */
export const placeOf = (tab: string | null): PlaceKind | null => placeKinds.find((kind) => placeTab(kind) === tab) ?? null;

/** Beyond this many tabs in a pane, the least recently used one is closed. */
export const maxTabs = 40;
export const sidebarWidth = { least: 200, normal: 260, most: 480 };
export const inspectorWidth = { least: 260, normal: 360, most: 720 };
export const leastRatio = 0.2;

/** One pane without tabs, everything else at its default. */
export function emptyLayout(): LayoutState {
  return {
    panes: [{ tabs: [], active: null }],
    focused: 0,
    ratio: 0.5,
    sidebar: { width: sidebarWidth.normal, collapsed: false },
    inspector: { open: false, width: inspectorWidth.normal, tab: "" },
    places: {},
  };
}

/** The data to save. */
export function writeLayout(state: LayoutState): Record<string, unknown> {
  return structuredClone({ version: 1, ...state });
}

/** Parses a saved layout from any version of Parley. Invalid parts are left out. */
export function readLayout(saved: unknown): LayoutState {
  const layout = emptyLayout();
  const known = new Set<string>();
  const panes = listField(saved, "panes")
    .slice(0, 2)
    .map((pane): Pane => {
      const tabs = textsField(pane, "tabs").filter((id) => id !== "" && !known.has(id) && !unknownPlace(id) && known.add(id));
      const active = textField(pane, "active");
      return { tabs: tabs.slice(0, maxTabs), active: tabs.includes(active) ? active : null };
    });
  if (panes.length > 0) layout.panes = panes;
  const focused = numberField(saved, "focused") ?? 0;
  layout.focused = layout.panes[focused] ? focused : 0;
  layout.ratio = clamp(numberField(saved, "ratio") ?? layout.ratio, leastRatio, 1 - leastRatio);
  const width = numberField(field(saved, "sidebar"), "width") ?? sidebarWidth.normal;
  layout.sidebar.width = clamp(Math.round(width), sidebarWidth.least, sidebarWidth.most);
  layout.sidebar.collapsed = field(field(saved, "sidebar"), "collapsed") === true;
  const inspector = field(saved, "inspector");
  layout.inspector = {
    open: field(inspector, "open") === true,
    width: clamp(Math.round(numberField(inspector, "width") ?? inspectorWidth.normal), inspectorWidth.least, inspectorWidth.most),
    tab: textField(inspector, "tab"),
  };
  const places = field(saved, "places");
  for (const id of known) {
    const message = textField(field(places, id), "message");
    const offset = numberField(field(places, id), "offset");
    if (message !== "" && offset !== null) layout.places[id] = { message, offset };
  }
  return layout;
}

/** A place that this Parley does not have. */
const unknownPlace = (tab: string): boolean => tab.startsWith(prefix) && placeOf(tab) === null;

/** Shows a session where its tab is, or in the focused pane. */
export function show(layout: LayoutState, sessionId: string | null): void {
  const at = layout.panes.findIndex((pane) => sessionId !== null && pane.tabs.includes(sessionId));
  if (at >= 0) layout.focused = at;
  const pane = layout.panes[layout.focused];
  if (!pane) return;
  if (sessionId !== null && at < 0) {
    const after = pane.active === null ? pane.tabs.length : pane.tabs.indexOf(pane.active) + 1;
    pane.tabs.splice(after, 0, sessionId);
  }
  pane.active = sessionId;
}

/** Removes a tab from its pane; the most recently used one replaces it. */
export function remove(layout: LayoutState, sessionId: string, seen: readonly string[]): void {
  const at = layout.panes.findIndex((p) => p.tabs.includes(sessionId));
  const pane = layout.panes[at];
  if (!pane) return;
  const index = pane.tabs.indexOf(sessionId);
  pane.tabs.splice(index, 1);
  if (pane.active === sessionId) {
    pane.active = seen.findLast((id) => pane.tabs.includes(id)) ?? pane.tabs[Math.min(index, pane.tabs.length - 1)] ?? null;
  }
  // A pane whose last tab the user closed is removed.
  if (pane.tabs.length === 0 && layout.panes.length > 1) {
    layout.panes.splice(at, 1);
    layout.focused = 0;
  }
}

/** Moves a tab before the one at index of a pane. A pane left empty is removed, unless it is to be kept. */
export function put(layout: LayoutState, sessionId: string, to: number, index: number, keep = false): void {
  const target = layout.panes[to];
  if (!target) return;
  const from = layout.panes.find((p) => p.tabs.includes(sessionId));
  let at = index;
  if (from) {
    const old = from.tabs.indexOf(sessionId);
    from.tabs.splice(old, 1);
    if (from === target && old < index) at--;
    else if (from !== target && from.active === sessionId) from.active = from.tabs[Math.min(old, from.tabs.length - 1)] ?? null;
  }
  target.tabs.splice(clamp(at, 0, target.tabs.length), 0, sessionId);
  if (from !== target) target.active = sessionId;
  if (from && from !== target && from.tabs.length === 0 && !keep) layout.panes = layout.panes.filter((p) => p !== from);
  layout.focused = Math.max(0, layout.panes.findIndex((p) => p.tabs.includes(sessionId)));
}

/** Adds a second pane, with the active tab if there are others. */
export function split(layout: LayoutState, seen: readonly string[]): void {
  const pane = layout.panes[0];
  if (!pane) return;
  const moved = pane.active;
  layout.panes.push({ tabs: [], active: null });
  layout.focused = 1;
  if (moved === null || pane.tabs.length < 2) return;
  const index = pane.tabs.indexOf(moved);
  pane.tabs.splice(index, 1);
  pane.active = seen.findLast((id) => pane.tabs.includes(id)) ?? pane.tabs[Math.max(0, index - 1)] ?? null;
  layout.panes[1] = { tabs: [moved], active: moved };
}

/** Moves all tabs into one pane. */
export function join(layout: LayoutState): void {
  const active = layout.panes[layout.focused]?.active ?? layout.panes.find((p) => p.active !== null)?.active ?? null;
  layout.panes = [{ tabs: layout.panes.flatMap((p) => p.tabs), active }];
  layout.focused = 0;
}

/** Restores the invariants: bounded tabs, an existing focus, positions of tabs only. */
export function settle(layout: LayoutState, seen: readonly string[]): void {
  for (const pane of layout.panes) {
    while (pane.tabs.length > maxTabs) {
      const others = pane.tabs.filter((id) => id !== pane.active);
      const oldest = others.reduce((a, b) => (seen.indexOf(b) < seen.indexOf(a) ? b : a));
      pane.tabs.splice(pane.tabs.indexOf(oldest), 1);
    }
  }
  layout.focused = clamp(layout.focused, 0, layout.panes.length - 1);
  const tabs = new Set(layout.panes.flatMap((pane) => pane.tabs));
  for (const id of Object.keys(layout.places)) if (!tabs.has(id)) delete layout.places[id];
}

export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
