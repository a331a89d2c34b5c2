import { createContext, type JSX, useContext } from "solid-js";
import { HostProvider } from "../host/context";
import type { Host } from "../host/host";
import type { Actions } from "./actions";
import type { Intake } from "./intake";
import type { Layout } from "./layout";
import type { Listing } from "./listing";
import type { AppState } from "./state";

/** Available to every view: the state and the lists to read, the host, and the user's actions. */
export interface App {
  readonly state: AppState;
  readonly listing: Pick<Listing, "of" | "get">;
  readonly host: Host;
  readonly actions: Actions;
  /** Notifies of sessions' events once the state reflects them. */
  readonly follow: Intake["follow"];
  /** The window's layout. */
  readonly layout: Layout;
}

const AppContext = createContext<App>();

export function AppProvider(props: { app: App; children: JSX.Element }): JSX.Element {
  return (
    <AppContext.Provider value={props.app}>
      <HostProvider host={props.app.host}>{props.children}</HostProvider>
    </AppContext.Provider>
  );
}

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("useApp must be used inside AppProvider");
  return app;
}
