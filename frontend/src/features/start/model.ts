import type { Info } from "../../host/border.gen";
import type { App } from "../../store/context";

/** What prevents a first session, "" for nothing. */
export function obstacle(info: Info | null): "" | "cli" | "account" {
  if (!info) return "";
  if (!info.cli.found || info.cli.code) return "cli";
  return info.account.found || info.rehearsal ? "" : "account";
}

/**
 * The most likely folder for a new session: that of the current session, then the workspace for sessions without a
 * project, then the last one used; "" for none.
 */
export function folderHere({ state, layout }: App): string {
  const current = state.sessions[layout.latest() ?? ""];
  if (current) return current.cwd;
  const workspaces = state.workspaceOrder.flatMap((id) => state.workspaces[id] ?? []).filter((w) => w.folder !== "gone");
  const found = workspaces.find((w) => w.general) ?? workspaces.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)[0];
  return found?.path ?? state.info?.recentFolders[0] ?? "";
}
