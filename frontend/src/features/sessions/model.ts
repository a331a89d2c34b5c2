// The sidebar: its rows and view settings, the focused row, and the row being renamed or confirmed. The page stores the
// view settings.

import { createMemo, createSignal, untrack } from "solid-js";
import { createSlowClock } from "../../lib/ago";
import { baseName } from "../../lib/path";
import { field, textField, textsField } from "../../lib/shape";
import type { App } from "../../store/context";
import type { Place } from "../../store/state";
import { type Grouping, plainRows, type Row, rowsOf, type WorkspaceName } from "./rows";

const key = "parley.sidebar";

/** An action that needs confirmation. */
export type Question =
  | { kind: "delete"; sessionId: string }
  | { kind: "purge"; sessionId: string }
  | { kind: "fresh"; sessionId: string }
  | { kind: "removeWorkspace"; workspaceId: string };

export function createSidebarModel(app: App, storage: Pick<Storage, "getItem" | "setItem"> = localStorage) {
  const { state, listing, actions } = app;
  const saved = load(storage);
  const now = createSlowClock(30_000);
  const [place, setPlace] = createSignal<Place>("list");
  const [grouping, setGrouping] = createSignal<Grouping>(saved.grouping);
  const [folded, setFolded] = createSignal<ReadonlySet<string>>(saved.folded);
  const [whole, setWhole] = createSignal<ReadonlySet<string>>(new Set());
  const [loud, setLoud] = createSignal<ReadonlySet<string>>(new Set());
  const [filter, setFilter] = createSignal("");
  /** The key of the row with the keyboard focus. */
  const [marked, setMarked] = createSignal("");
  /** The key of the row being renamed. */
  const [renaming, setRenaming] = createSignal("");
  const [question, setQuestion] = createSignal<Question | null>(null);
  /** The session being dragged. */
  const [dragging, setDragging] = createSignal<string | null>(null);
  let focusMarked = () => {};

  /** The day, so that the rows are only rebuilt when it ends, not at every clock tick. */
  const today = createMemo(() => new Date(now()).setHours(0, 0, 0, 0));

  const workspaces = createMemo(() => {
    const names = new Map<string, WorkspaceName>();
    for (const id of state.workspaceOrder) {
      const workspace = state.workspaces[id];
      if (workspace) names.set(id, { title: workspace.title || baseName(workspace.path), pinned: workspace.pinned });
    }
    return names;
  });

  const rows = createMemo<Row[]>(() => {
    const grouped = grouping() === "workspace" && workspaces().size > 0;
    const view = {
      grouping: grouped ? ("workspace" as const) : ("time" as const),
      filter: filter().trim(),
      folded: folded(),
      whole: whole(),
      loud: loud(),
      current: state.current,
      workspaces: workspaces(),
      now: today(),
    };
    const entries = listing.of(place());
    return place() === "list" ? rowsOf(entries, view) : plainRows(entries, view);
  });

  const index = createMemo(() => new Map(rows().map((row, i) => [row.key, i])));

  function save(): void {
    try {
      storage.setItem(key, JSON.stringify({ grouping: untrack(grouping), folded: [...untrack(folded)] }));
    } catch {
      // A browser without storage starts with the defaults.
    }
  }

  return {
    now,
    place,
    rows,
    grouping,
    filter,
    setFilter,
    marked,
    setMarked,
    renaming,
    setRenaming,
    /** Starts renaming a session in the list. */
    rename(id: string) {
      if (untrack(place) !== "list") this.show("list");
      const row = untrack(rows).find((r) => r.kind === "session" && r.id === id);
      if (row) setRenaming(row.key);
    },
    /** Ends renaming; the focus returns to the row if a key ended it. */
    endRenaming(byKey: boolean) {
      setRenaming("");
      if (byKey) focusMarked();
    },
    /** The list registers how to focus the marked row. */
    onFocusMarked(focus: () => void) {
      focusMarked = focus;
    },
    focusMarked: () => focusMarked(),
    question,
    setQuestion,
    dragging,
    setDragging,
    indexOf: (rowKey: string) => index().get(rowKey) ?? -1,
    rowOf: (rowKey: string): Row | undefined => rows()[index().get(rowKey) ?? -1],
    show(next: Place) {
      setPlace(next);
      setFilter("");
      setMarked("");
      const load = untrack(() => state.lists[next].load);
      if (next !== "list" && (load === "none" || load === "failed")) void actions.readList(next);
    },
    setGrouping(next: Grouping) {
      setGrouping(next);
      save();
    },
    /** Folds or unfolds a group; toggles by default. */
    fold(group: string, wish = !folded().has(group)) {
      const next = new Set(folded());
      if (wish) next.add(group);
      else next.delete(group);
      setFolded(next);
      save();
    },
    showWhole(group: string) {
      setWhole(new Set([...whole(), group]));
    },
    /** Shows or hides the runs without findings; toggles by default. */
    hush(group: string, wish = loud().has(group)) {
      const next = new Set(loud());
      if (wish) next.delete(group);
      else next.add(group);
      setLoud(next);
    },
    /** The focusable row this many steps away; null at the ends. */
    step(from: string, by: number): Row | null {
      const list = rows();
      const at = index().get(from) ?? -1;
      for (let i = at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by; i >= 0 && i < list.length; i += by) {
        const row = list[i];
        if (row && row.kind !== "heading") return row;
      }
      return null;
    },
    /** The sessions in list order, for going from one to the next. */
    order: () => rows().flatMap((row) => (row.kind === "session" ? [row.id] : [])),
  };
}

export type SidebarModel = ReturnType<typeof createSidebarModel>;

function load(storage: Pick<Storage, "getItem">): { grouping: Grouping; folded: Set<string> } {
  let saved: unknown = null;
  try {
    saved = JSON.parse(storage.getItem(key) ?? "null");
  } catch {
    // Ignore what another version stored.
  }
  return {
    grouping: textField(saved, "grouping") === "time" ? "time" : "workspace",
    folded: new Set(field(saved, "folded") ? textsField(saved, "folded") : []),
  };
}
