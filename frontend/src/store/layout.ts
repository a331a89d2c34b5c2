// The window's layout: the panes side by side, their tabs, and the sidebar. A session is in
// at most one tab of one pane, so that there is one place to write to it. It determines what
// "current" means to the rest of the page: the session of the focused pane.
//
// The layout outlives the page and the program (layout.get, layout.set). It is saved some
// time after a change, and immediately when the page closes.

import { type Accessor, batch, createSignal, onCleanup, untrack } from "solid-js";
import { createStore, produce, unwrap } from "solid-js/store";
import type { Host } from "../host/host";
import { clamp, emptyLayout, inspectorWidth, join, type LayoutState, leastRatio, maxTabs, type Place, type PlaceKind, placeKinds, placeOf, placeTab, put, readLayout, remove, settle, show, sidebarWidth, split, writeLayout } from "./arrangement";

/** What covers the panes. */
type Overlay = { kind: "search"; text: string } | { kind: "mirror"; sessionId: string } | { kind: "waiting" } | { kind: "archive"; sessionId: string; close?: boolean } | null;

/** The part of a place to show: a tab, a room, a heartbeat or a setting; without one, the previous part. */
interface At {
  kind: PlaceKind;
  tab?: string;
  name?: string;
}

export interface Layout {
  readonly state: LayoutState;
  readonly overlay: Accessor<Overlay>;
  /** Whether there is room for only one pane. */
  readonly narrow: Accessor<boolean>;
  setNarrow(narrow: boolean): void;
  setOverlay(overlay: Overlay): void;
  /** Opens a place in its tab. */
  go(at: At): void;
  /** The part of a place that is shown, null if it has no tab. */
  at(kind: PlaceKind): At | null;
  /** Whether a place is visible. */
  shows(kind: PlaceKind): boolean;
  /** The element of a place. It keeps its content when its tab moves to the other pane. */
  panel(kind: PlaceKind): HTMLElement;
  /** Intercepts closing a place until the owner is disposed of: leave calls go once nothing is lost. */
  guard(kind: PlaceKind, leave: (go: () => void) => void): void;
  /** The active tab of the focused pane: a session's or a place's. */
  active(): string | null;
  /** The session of the focused pane. */
  current(): string | null;
  /** That session; in a place, the last one that was viewed. */
  latest(): string | null;
  /** The visible sessions. */
  visible(): string[];
  /** The pane with the session's tab, -1 for none. */
  paneOf(sessionId: string): number;
  /** Shows a session where it is, or in the focused pane; null shows no session there. */
  open(sessionId: string | null): void;
  /** Shows a session in the other pane, which is created if needed. */
  openBeside(sessionId: string): void;
  /** Closes a tab. The session keeps running. */
  close(sessionId: string): void;
  closeOthers(sessionId: string): void;
  /** Moves a tab before the one at index, in the same or another pane. */
  move(sessionId: string, pane: number, index: number): void;
  focus(pane: number): void;
  /** Moves by this many tabs in the focused pane, wrapping around. */
  step(by: number): void;
  /** Goes to the tab with this index in the focused pane; -1 is the last. */
  goTo(index: number): void;
  /** Creates a second pane for the active tab, or joins both. */
  toggleSplit(): void;
  setRatio(ratio: number): void;
  setSidebar(change: Partial<LayoutState["sidebar"]>): void;
  /** Whether the side panel covers the conversation for lack of room. Not saved. */
  readonly inspectorOver: Accessor<boolean>;
  /** Toggles the side panel; over is set if there is no room beside the conversation. */
  toggleInspector(over: boolean): void;
  /** Shows the side panel, optionally at one of its tabs. */
  showInspector(tab?: string): void;
  setInspector(change: Partial<LayoutState["inspector"]>): void;
  setPlace(sessionId: string, place: Place | null): void;
  /** Loads the saved layout, once; later calls wait for the first. With folded, tabs are restored but none is active. */
  restore(folded?: boolean): Promise<void>;
  /** Saves changes immediately. */
  save(): void;
  dispose(): void;
}

/** No particular part of each place. */
const usual = Object.fromEntries(placeKinds.map((kind) => [kind, { kind }])) as Record<PlaceKind, At>;

const saveDelay = 500;
const windowName = "main";

/**
 * Creates the layout. onChange is called synchronously with the focused session and the visible ones, so that the rest
 * of the page never sees others.
 */
export function createLayout(host: Host, onChange: (current: string | null, visible: string[]) => void): Layout {
  const [state, set] = createStore<LayoutState>(emptyLayout());
  const [narrow, setNarrow] = createSignal(false);
  const [overlay, setOverlay] = createSignal<Overlay>(null);
  const [inspectorOver, setInspectorOver] = createSignal(false);
  /** Every session that was shown, most recent last. */
  let seen: string[] = [];
  let saving: ReturnType<typeof setTimeout> | undefined;
  let restoring: Promise<void> | undefined;

  const [asked, setAsked] = createSignal<Partial<Record<PlaceKind, At>>>({});
  const panels = new Map<PlaceKind, HTMLElement>();
  const guards = new Map<PlaceKind, (go: () => void) => void>();

  const active = () => state.panes[state.focused]?.active ?? null;
  const sessionOf = (tab: string | null) => (placeOf(tab) === null ? tab : null);
  const current = () => sessionOf(active());
  function visible(): string[] {
    const panes = narrow() ? state.panes.filter((_, i) => i === state.focused) : state.panes;
    return panes.flatMap((pane) => sessionOf(pane.active) ?? []);
  }
  const tell = () => untrack(() => onChange(current(), visible()));
  const paneOf = (sessionId: string) => state.panes.findIndex((pane) => pane.tabs.includes(sessionId));

  function change(fn: (layout: LayoutState) => void): void {
    batch(() => {
      set(
        produce((layout) => {
          fn(layout);
          settle(layout, seen);
        }),
      );
      for (const pane of untrack(() => state.panes)) {
        const id = pane.active;
        if (id !== null) seen = [...seen.filter((other) => other !== id), id].slice(-4 * maxTabs);
      }
      tell();
    });
    saveSoon();
  }

  function saveSoon(): void {
    clearTimeout(saving);
    saving = setTimeout(save, saveDelay);
  }

  function save(): void {
    if (saving === undefined) return;
    clearTimeout(saving);
    saving = undefined;
    // Losing a layout is not serious, and the connection has its own banner.
    void host.call("layout.set", { window: windowName, layout: writeLayout(unwrap(state)) }).catch(() => {});
  }

  async function read(folded: boolean): Promise<void> {
    try {
      const { layout } = await host.call("layout.get", { window: windowName });
      // Tabs opened in the meantime win.
      const early = state.panes.flatMap((pane) => pane.tabs);
      const shown = active();
      set(readLayout(layout));
      set(produce((l) => settle(l, seen)));
      if (folded) set("panes", {}, "active", null);
      for (const id of early) insert(id);
      if (shown !== null) change((l) => show(l, shown));
      tell();
    } catch {
      // Without it, the page starts as on first use.
      restoring = undefined;
    }
  }

  function insert(sessionId: string): void {
    if (paneOf(sessionId) < 0) change((l) => l.panes[l.focused]?.tabs.push(sessionId));
  }

  function setInspector(to: Partial<LayoutState["inspector"]>): void {
    set("inspector", to);
    set("inspector", "width", (width) => clamp(Math.round(width), inspectorWidth.least, inspectorWidth.most));
    saveSoon();
  }

  const onHide = () => {
    if (document.visibilityState === "hidden") save();
  };
  document.addEventListener("visibilitychange", onHide);
  window.addEventListener("pagehide", save);

  function close(tab: string): void {
    const go = () => {
      const kind = placeOf(tab);
      if (kind !== null) setAsked(({ [kind]: _, ...rest }) => rest);
      change((l) => remove(l, tab, seen));
    };
    const leave = guards.get(placeOf(tab) as PlaceKind);
    if (leave) leave(go);
    else go();
  }

  return {
    state,
    overlay,
    setOverlay,
    go(at) {
      const { kind, ...what } = at;
      const reveal = () => change((l) => show(l, placeTab(kind)));
      if (Object.keys(what).length === 0) return reveal();
      const there = () => {
        setAsked((all) => ({ ...all, [kind]: at }));
        reveal();
      };
      const leave = paneOf(placeTab(kind)) < 0 ? undefined : guards.get(kind);
      if (leave) leave(there);
      else there();
    },
    at: (kind) => (paneOf(placeTab(kind)) < 0 ? null : (asked()[kind] ?? usual[kind])),
    shows: (kind) => state.panes.some((pane, i) => pane.active === placeTab(kind) && (!narrow() || i === state.focused)),
    panel(kind) {
      const panel = panels.get(kind) ?? document.createElement("div");
      panel.dataset["component"] = "place";
      panels.set(kind, panel);
      return panel;
    },
    guard(kind, leave) {
      guards.set(kind, leave);
      onCleanup(() => guards.get(kind) === leave && guards.delete(kind));
    },
    active,
    narrow,
    setNarrow(to) {
      setNarrow(to);
      tell();
    },
    current,
    latest: () => (placeOf(active()) === null ? current() : (seen.findLast((tab) => placeOf(tab) === null && paneOf(tab) >= 0) ?? null)),
    paneOf,
    visible,
    open: (sessionId) => change((l) => show(l, sessionId)),
    openBeside(sessionId) {
      change((l) => {
        const from = l.panes.findIndex((pane) => pane.tabs.includes(sessionId));
        if (l.panes.length < 2) l.panes.push({ tabs: [], active: null });
        const to = from < 0 ? 1 - l.focused : from === 0 ? 1 : 0;
        put(l, sessionId, to, l.panes[to]?.tabs.length ?? 0, true);
      });
    },
    close,
    closeOthers(tab) {
      change((l) => show(l, tab));
      for (const other of (state.panes[paneOf(tab)]?.tabs ?? []).filter((one) => one !== tab)) close(other);
    },
    move: (sessionId, pane, index) => change((l) => put(l, sessionId, pane, index)),
    focus(pane) {
      if (state.focused === pane || !state.panes[pane]) return;
      change((l) => {
        l.focused = pane;
      });
    },
    step(by) {
      const pane = state.panes[state.focused];
      if (!pane || pane.tabs.length === 0) return;
      const at = pane.active === null ? (by > 0 ? -1 : 0) : pane.tabs.indexOf(pane.active);
      const next = pane.tabs[(at + by + pane.tabs.length) % pane.tabs.length];
      if (next !== undefined) change((l) => show(l, next));
    },
    goTo(index) {
      const next = state.panes[state.focused]?.tabs.at(index);
      if (next !== undefined) change((l) => show(l, next));
    },
    toggleSplit() {
      change((l) => {
        if (l.panes.length > 1) join(l);
        else split(l, seen);
      });
    },
    setRatio(ratio) {
      set("ratio", clamp(ratio, leastRatio, 1 - leastRatio));
      saveSoon();
    },
    setSidebar(to) {
      set("sidebar", to);
      set("sidebar", "width", (width) => clamp(Math.round(width), sidebarWidth.least, sidebarWidth.most));
      saveSoon();
    },
    inspectorOver,
    toggleInspector(over) {
      if (over) setInspectorOver(!inspectorOver());
      else setInspector({ open: !state.inspector.open });
    },
    showInspector(tab) {
      batch(() => {
        setInspectorOver(true);
        setInspector({ open: true, ...(tab === undefined ? {} : { tab }) });
      });
    },
    setInspector,
    setPlace(sessionId, place) {
      set(
        produce((l) => {
          if (place) l.places[sessionId] = place;
          else delete l.places[sessionId];
        }),
      );
      saveSoon();
    },
    restore: (folded = false) => (restoring ??= read(folded)),
    save,
    dispose() {
      save();
      document.removeEventListener("visibilitychange", onHide);
      window.removeEventListener("pagehide", save);
    },
  };
}
