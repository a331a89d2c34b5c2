import type { AppState } from "../../store/state";

/** So many folders are offered at once; the others are a dialog away. */
const most = 5;

/** The folders to choose from: the workspaces in their order, the chosen one always among them. */
export function recentFolders(state: AppState, chosen: string): string[] {
  const workspaces = state.workspaceOrder.flatMap((id) => state.workspaces[id] ?? []).filter((w) => w.folder !== "gone");
  const all = [...new Set([...workspaces.map((w) => w.path), ...(state.info?.recentFolders ?? [])])];
  const shown = all.slice(0, most);
  if (chosen === "" || shown.includes(chosen)) return shown;
  return [chosen, ...shown.slice(0, most - 1)];
}
