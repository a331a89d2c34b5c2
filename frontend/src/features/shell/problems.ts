import type { App } from "../../store/context";

/** What is wrong with Parley and is said nowhere else: that the CLI is missing, the page for the first start says. */
export const problemsOf = (state: App["state"]) => (state.info?.problems ?? []).filter(({ id }) => id !== "cli_unusable" || state.current !== null);
