import type { App } from "../../store/context";

/** Problems of Parley that are not shown elsewhere: a missing CLI is shown by the first-run page. */
export const problemsOf = (state: App["state"]) => (state.info?.problems ?? []).filter(({ id }) => id !== "cli_unusable" || state.current !== null);
