import type { Host } from "./host";
import { createKey } from "./key";
import { createSocketHost } from "./socket";
import { createWailsHost, type WailsBridge } from "./wails";

/** Makes the host of the surface that this page is shown on. */
export function detectHost(): Host {
  const bridge = window as unknown as Partial<WailsBridge>;
  if (bridge.go?.desktop?.Host && bridge.runtime) return createWailsHost(bridge as WailsBridge);

  return createSocketHost({ base: new URL("/", location.href).href, key: createKey(location, history, tabStorage()) });
}

function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null; // a person may forbid it
  }
}
