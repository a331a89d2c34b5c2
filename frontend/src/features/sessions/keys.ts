// The list's keys. They apply to the focused row.

import { readingKey } from "../../lib/direction";
import { isComposing, isMod } from "../../lib/keys";
import type { App } from "../../store/context";
import { isBusy } from "../../store/state";
import type { SidebarModel } from "./model";
import type { Row } from "./rows";

export function createListKeys(app: App, model: SidebarModel, focusMarked: () => void): (event: KeyboardEvent) => void {
  const { state, layout, actions } = app;

  function goTo(row: Row | null): void {
    if (!row) return;
    model.setMarked(row.key);
    focusMarked();
  }

  function onSession(key: string, id: string, rowKey: string): (() => void) | undefined {
    const session = state.sessions[id];
    if (!session) return undefined;
    const place = model.place();
    switch (key) {
      case "F2":
        return place === "trash" ? undefined : () => model.setRenaming(rowKey);
      case "Delete":
        return () => model.setQuestion({ kind: place === "trash" ? "purge" : "delete", sessionId: id });
      case "p":
        return place === "list" ? () => void actions.pin(id, !session.pinned) : undefined;
      case "a":
        if (place === "archive") return () => void actions.unarchive(id);
        return place === "list" && !isBusy(session) ? () => void actions.archive(id) : undefined;
      default:
        return undefined;
    }
  }

  function onGroup(key: string, row: Extract<Row, { kind: "group" }>): (() => void) | undefined {
    if (key === "ArrowLeft" && row.open) return () => model.fold(row.group, true);
    if (key === "ArrowRight" && !row.open) return () => model.fold(row.group, false);
    if (key === "ArrowRight") return () => goTo(model.step(row.key, 1));
    const workspace = state.workspaces[row.group];
    if (!workspace) return undefined;
    if (key === "F2") return () => model.setRenaming(row.key);
    if (key === "p") return () => void actions.pinWorkspace(workspace.id, !workspace.pinned);
    if (key === "Delete") return () => model.setQuestion({ kind: "removeWorkspace", workspaceId: workspace.id });
    return undefined;
  }

  function find(event: KeyboardEvent): (() => void) | undefined {
    const key = event.key.length === 1 ? event.key.toLowerCase() : readingKey(event);
    const row = model.rowOf(model.marked());
    if (isMod(event) && key === "Enter" && row?.kind === "session") return () => layout.openBeside(row.id);
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    switch (key) {
      case "ArrowDown":
        return () => goTo(model.step(model.marked(), 1));
      case "ArrowUp":
        return () => goTo(model.step(model.marked(), -1));
      case "Home":
        return () => goTo(model.step("", 1));
      case "End":
        return () => goTo(model.step("", -1));
      default:
    }
    if (row?.kind === "group") return onGroup(key, row);
    if (row?.kind === "quiet" && key === "ArrowRight" && !row.open) return () => model.hush(row.group, false);
    if (row?.kind === "quiet" && key === "ArrowLeft" && row.open) return () => model.hush(row.group, true);
    if (key === "ArrowLeft" && row?.kind !== "heading" && row?.group) {
      return () => goTo(model.rowOf(`g:${row.group}`) ?? null);
    }
    return row?.kind === "session" ? onSession(key, row.id, row.key) : undefined;
  }

  return (event) => {
    if (event.defaultPrevented || isComposing(event)) return;
    const act = find(event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}
