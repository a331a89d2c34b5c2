import { takeHanded } from "./handed";
import type { Host } from "./host";
import { createKey, postToken } from "./key";
import { createSocketHost } from "./socket";
import { createWailsHost, type WailsBridge } from "./wails";

/** Creates the host for the surface this page is shown on. */
export function detectHost(): Host {
  const bridge = window as unknown as Partial<WailsBridge>;
  if (bridge.go?.desktop?.Host && bridge.runtime) return createWailsHost(bridge as WailsBridge, takeHanded());

  const base = new URL("/", location.href).href;
  const key = createKey({
    address: location,
    past: history,
    tab: storage(() => sessionStorage),
    kept: storage(() => localStorage),
    post: (token, proof) => postToken(base, token, proof),
  });
  return createSocketHost({ base, key });
}

function storage(of: () => Storage): Storage | null {
  try {
    return of();
  } catch {
    return null; // the user may have disabled it
  }
}
