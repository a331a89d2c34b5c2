// Display names for ids.

import { text } from "../i18n";
import type { App } from "./context";

/** A session's title; for an unlisted one, the known title. */
export function titleOf(app: App, sessionId: string, known = ""): string {
  return app.state.sessions[sessionId]?.title || known || text().permission.rules.untitled;
}

export function workspaceName(app: App, workspaceId: string): string {
  return app.state.workspaces[workspaceId]?.title ?? text().permission.rules.gone;
}

/** The current folder: that of the current session, or else the newest workspace's. */
export function folderNow({ state, layout }: App): string {
  const session = state.sessions[layout.latest() ?? ""];
  const first = state.workspaceOrder[0];
  return session?.cwd ?? (first === undefined ? "" : (state.workspaces[first]?.path ?? ""));
}
