import type { SessionCreateParams, WorkspaceDefaults } from "../../host/border.gen";
import type { AppState } from "../../store/state";

/** So many folders are offered at once; the others are a dialog away. */
export const most = 5;

/** The folders to choose from: the workspaces in their order, the chosen one always among them. */
export function recentFolders(state: AppState, chosen: string): string[] {
  const workspaces = state.workspaceOrder.flatMap((id) => state.workspaces[id] ?? []).filter((w) => w.folder !== "gone");
  const all = [...new Set([...workspaces.map((w) => w.path), ...(state.info?.recentFolders ?? [])])];
  const shown = all.slice(0, most);
  if (chosen === "" || shown.includes(chosen)) return shown;
  return [chosen, ...shown.slice(0, most - 1)];
}

/** Only what was chosen: the rest stays with the folder's workspace and the settings. */
export function createParams(cwd: string, title: string, choices: WorkspaceDefaults): SessionCreateParams {
  const params: SessionCreateParams = { cwd };
  if (title.trim() !== "") params.title = title.trim();
  for (const key of ["model", "effort", "permissionMode", "engine", "profile"] as const) {
    if (choices[key] !== "") params[key] = choices[key];
  }
  return params;
}
