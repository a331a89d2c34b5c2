import type { AppState } from "../../store/state";

/** The number of folders offered; the dialog has the others. */
const most = 5;

/** The folders to choose from: workspaces in their order, always including the chosen one. */
export function recentFolders(state: AppState, chosen: string): string[] {
  const workspaces = state.workspaceOrder.flatMap((id) => state.workspaces[id] ?? []).filter((w) => w.folder !== "gone");
  const all = [...new Set([...workspaces.map((w) => w.path), ...(state.info?.recentFolders ?? [])])];
  const shown = all.slice(0, most);
  if (chosen === "" || shown.includes(chosen)) return shown;
  return [chosen, ...shown.slice(0, most - 1)];
}
