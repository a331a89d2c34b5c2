import type { SessionCreateParams, WorkspaceDefaults } from "../../host/border.gen";
import type { AppState } from "../../store/state";

/** The values behind "Default" in a folder. */
export function inheritedIn(state: AppState, folder: string): WorkspaceDefaults {
  const own = Object.values(state.workspaces).find((w) => w.path === folder)?.defaults;
  const settings = state.info?.settings;
  return {
    model: own?.model || settings?.model || "",
    effort: own?.effort ?? "",
    permissionMode: own?.permissionMode || settings?.permissionMode || "",
    engine: own?.engine || settings?.engine || "",
    profile: own?.profile ?? "",
  };
}

/** Only explicit choices: the rest is inherited from the folder's workspace and the settings. */
export function createParams(cwd: string, title: string, choices: WorkspaceDefaults): SessionCreateParams {
  const params: SessionCreateParams = { cwd };
  if (title.trim() !== "") params.title = title.trim();
  for (const key of ["model", "effort", "permissionMode", "engine", "profile"] as const) {
    if (choices[key] !== "") params[key] = choices[key];
  }
  return params;
}
