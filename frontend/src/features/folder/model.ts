// Choosing a folder: the input, the folder it shows, and the list below. There is one field: an absolute path is
// followed, anything else filters the current folder.

import { batch, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import type { FolderEntry, FolderList } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { fold } from "../../lib/fold";
import { baseName } from "../../lib/path";
import type { App } from "../../store/context";

export interface Row {
  path: string;
  name: string;
  kind: "recent" | "folder" | "parent";
  git: boolean;
}

const typingDelay = 150;

export function createFolderModel(app: App) {
  const { host, state } = app;
  const [text, setText] = createSignal("");
  const [list, setList] = createSignal<FolderList | null>(null);
  /** The selected row, -1 for none: then Enter opens the current folder. */
  const [active, setActive] = createSignal(-1);
  /** Whether the user has navigated: recent folders are only shown at first. */
  const [moved, setMoved] = createSignal(false);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  let request = 0;

  const home = () => state.info?.home ?? "";
  /** The typed path split into its parts, null if the text is a filter. */
  const typed = createMemo(() => (isPath(text()) ? split(expand(text(), home())) : null));

  const rows = createMemo<Row[]>(() => {
    const query = fold(typed()?.name ?? text().trim());
    const shown = list();
    const recent: Row[] = typed() || moved()
      ? []
      : (state.info?.recentFolders ?? [])
          .filter((path) => fold(path).includes(query))
          .slice(0, query === "" ? 5 : 20)
          .map((path) => ({ path, name: baseName(path), kind: "recent", git: false }));
    const folders = (shown?.entries ?? []).filter((e) => matches(e, query)).map(toRow);
    const parent: Row[] =
      shown && shown.parent !== "" && text() === ""
        ? [{ path: shown.parent, name: "..", kind: "parent", git: false }]
        : [];
    return [...recent, ...parent, ...folders];
  });

  /** The folder to open: the typed one if it can be opened, otherwise the current one. */
  const chosen = (): string => {
    const path = typed();
    if (!path) return list()?.path ?? "";
    const shown = list()?.path === path.folder;
    const known = path.name === "" || list()?.entries.some((e) => e.name === path.name);
    // A folder missing from an incomplete list may still exist.
    if (!shown || known || rows().length === 0) return join(path);
    return "";
  };

  async function show(path: string): Promise<boolean> {
    const mine = ++request;
    setBusy(true);
    try {
      const next = await host.call("folder.list", path === "" ? {} : { path });
      if (mine !== request) return false;
      setList(next);
      setError("");
      return true;
    } catch (failure) {
      if (mine === request) setError(messageOf(failure));
      return false;
    } finally {
      if (mine === request) setBusy(false);
    }
  }

  /** Enters a folder and clears the filter. */
  async function enter(path: string): Promise<void> {
    if (!(await show(path))) return;
    batch(() => {
      setMoved(true);
      setText("");
      setActive(-1);
    });
  }

  createEffect(
    on(
      text,
      (value) => {
        setActive(value === "" ? first() : 0);
        const folder = typed()?.folder;
        if (folder === undefined || folder === list()?.path) return;
        const timer = setTimeout(() => void show(folder), typingDelay);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );

  /** The initial selection: the last folder used. */
  const first = () => (rows()[0]?.kind === "recent" ? 0 : -1);

  void show("");
  setActive(first());

  return {
    text,
    setText,
    list,
    rows,
    active,
    activeRow: () => rows()[active()],
    error,
    busy,
    chosen,
    show,
    enter,
    setActive,
    move(by: number) {
      const n = rows().length;
      if (n > 0) setActive(active() < 0 ? (by > 0 ? 0 : n - 1) : (active() + by + n) % n);
    },
    fail: (failure: unknown) => setError(messageOf(failure)),
  };
}


function matches(entry: FolderEntry, query: string): boolean {
  if (query === "") return !entry.name.startsWith(".");
  return fold(entry.name).includes(query);
}

function toRow(entry: FolderEntry): Row {
  return { path: entry.path, name: entry.name, kind: "folder", git: entry.git };
}

/** Whether the text is a path rather than a filter. */
export function isPath(text: string): boolean {
  return /^(?:~?[\\/]|~$|[A-Za-z]:[\\/])/.test(text.trimStart());
}

function expand(text: string, home: string): string {
  const path = text.trim();
  return path.startsWith("~") ? home + path.slice(1) : path;
}

function join({ folder, name }: { folder: string; name: string }): string {
  if (name === "") return folder;
  return /[\\/]$/.test(folder) ? folder + name : `${folder}/${name}`;
}

/** Splits a typed path into its folder and the incomplete name. */
export function split(path: string): { folder: string; name: string } {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const folder = path.slice(0, at);
  // The root and a drive's root end with their separator.
  const root = folder === "" || /^[A-Za-z]:$/.test(folder);
  return { folder: root ? path.slice(0, at + 1) : folder, name: path.slice(at + 1) };
}
