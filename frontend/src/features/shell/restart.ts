// A restart that a user asks for: at once, or when the sessions have finished.

import type { App } from "../../store/context";

/** Has Parley restart. Where that would cut something it waits, which a banner says. */
export async function restart(app: Pick<App, "host" | "actions">, when?: "idle" | "now" | "never"): Promise<void> {
  try {
    const { state } = await app.host.call("app.restart", when ? { when } : {});
    if (state === "working") await app.host.call("app.restart", { when: "idle" });
  } catch (failure) {
    app.actions.report(failure);
  }
}
