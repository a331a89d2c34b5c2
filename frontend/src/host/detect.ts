import type { Host } from "./host";
import { createSocketHost, takeToken } from "./socket";
import { createWailsHost, type WailsBridge } from "./wails";

/** Makes the host of the surface that this page is shown on. */
export function detectHost(): Host {
  const bridge = window as unknown as Partial<WailsBridge>;
  if (bridge.go?.desktop?.Host && bridge.runtime) return createWailsHost(bridge as WailsBridge);

  const host = createSocketHost({ base: document.baseURI, token: takeToken(location, history) });
  // A new link pasted into the same tab changes nothing but the fragment.
  window.addEventListener("hashchange", () => {
    const token = takeToken(location, history);
    if (token !== null) host.setToken(token);
  });
  return host;
}
