// A restart requested by the user: immediately, or once the sessions have finished.

import type { App } from "../../store/context";

/** Restarts Parley. If that would interrupt something, it waits, and a banner shows that. */
export async function restart(app: Pick<App, "host" | "actions">, when?: "idle" | "now" | "never"): Promise<void> {
  try {
    const { state } = await app.host.call("app.restart", when ? { when } : {});
    if (state === "working") await app.host.call("app.restart", { when: "idle" });
  } catch (failure) {
    app.actions.report(failure);
  }
}
