import type { Info } from "../../host/border.gen";
import type { App } from "../../store/context";

/** What keeps a first session from being started, "" for nothing. */
export function obstacle(info: Info | null): "" | "cli" | "account" {
  if (!info) return "";
  if (!info.cli.found || info.cli.code) return "cli";
  return info.account.found || info.rehearsal ? "" : "account";
}

/**
 * The folder that a new session is most likely for: that of the session on the
 * page, then the workspace for sessions of no project, then the one used last; ""
 * when there is none.
 */
export function folderHere({ state, layout }: App): string {
  const current = state.sessions[layout.latest() ?? ""];
  if (current) return current.cwd;
  const workspaces = state.workspaceOrder.flatMap((id) => state.workspaces[id] ?? []).filter((w) => w.folder !== "gone");
  const found = workspaces.find((w) => w.general) ?? workspaces.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)[0];
  return found?.path ?? state.info?.recentFolders[0] ?? "";
}
