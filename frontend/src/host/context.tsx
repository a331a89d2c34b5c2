import { createContext, type JSX, useContext } from "solid-js";
import type { Host } from "./host";

const HostContext = createContext<Host>();

export function HostProvider(props: { host: Host; children: JSX.Element }): JSX.Element {
  return <HostContext.Provider value={props.host}>{props.children}</HostContext.Provider>;
}

/** The host, for components that don't know the page's state and work without a host. */
export function useHost(): Host | undefined {
  return useContext(HostContext);
}
