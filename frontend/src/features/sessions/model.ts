// The sidebar: what it lists and how, which row has the keyboard, what is being
// renamed or asked about. How a user likes it is remembered by the page.

import { createMemo, createSignal, untrack } from "solid-js";
import { createSlowClock } from "../../lib/ago";
import { baseName } from "../../lib/path";
import { field, textField, textsField } from "../../lib/shape";
import type { App } from "../../store/context";
import type { Place } from "../../store/state";
import { type Grouping, plainRows, type Row, rowsOf, type WorkspaceName } from "./rows";

const key = "parley.sidebar";

/** Something that is asked before it is done. */
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
  /** The key of the row that the keyboard is at. */
  const [marked, setMarked] = createSignal("");
  /** The key of the row whose name is being changed. */
  const [renaming, setRenaming] = createSignal("");
  const [question, setQuestion] = createSignal<Question | null>(null);
  /** The session that is being dragged. */
  const [dragging, setDragging] = createSignal<string | null>(null);
  let focusMarked = () => {};

  /** The day, so that the rows are made again when it ends and not with every tick of the clock. */
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
      // A browser that keeps nothing starts as it was made.
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
    /** Has a session renamed where it is listed. */
    rename(id: string) {
      if (untrack(place) !== "list") this.show("list");
      const row = untrack(rows).find((r) => r.kind === "session" && r.id === id);
      if (row) setRenaming(row.key);
    },
    /** Ends renaming; the keyboard goes back to the row when it came from there. */
    endRenaming(byKey: boolean) {
      setRenaming("");
      if (byKey) focusMarked();
    },
    /** The list says how the marked row gets the focus. */
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
    /** Folds a group or unfolds it; without a wish, the other way than it is. */
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
    /** Shows the runs that found nothing, or folds them; without a wish, the other way than it is. */
    hush(group: string, wish = loud().has(group)) {
      const next = new Set(loud());
      if (wish) next.delete(group);
      else next.add(group);
      setLoud(next);
    },
    /** The row so many further that can be gone to; null at the ends. */
    step(from: string, by: number): Row | null {
      const list = rows();
      const at = index().get(from) ?? -1;
      for (let i = at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by; i >= 0 && i < list.length; i += by) {
        const row = list[i];
        if (row && row.kind !== "heading") return row;
      }
      return null;
    },
    /** The sessions in the order in which they are listed, for going from one to the next. */
    order: () => rows().flatMap((row) => (row.kind === "session" ? [row.id] : [])),
  };
}

export type SidebarModel = ReturnType<typeof createSidebarModel>;

function load(storage: Pick<Storage, "getItem">): { grouping: Grouping; folded: Set<string> } {
  let saved: unknown = null;
  try {
    saved = JSON.parse(storage.getItem(key) ?? "null");
  } catch {
    // What another version has written is forgotten.
  }
  return {
    grouping: textField(saved, "grouping") === "time" ? "time" : "workspace",
    folded: new Set(field(saved, "folded") ? textsField(saved, "folded") : []),
  };
}
