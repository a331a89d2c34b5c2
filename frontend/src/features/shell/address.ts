// The address of the page in a browser names the session that is open, so that a reload,
// a bookmark, and the browser's back and forward find it. A window has none.

import { createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import { HostError } from "../../host/host";
import { text } from "../../i18n";
import type { App } from "../../store/context";

export interface Place {
  kind: "session" | "workspace";
  id: string;
}

/** Longer ids are none. */
const longest = 200;

export function placeAt(path: string): Place | null {
  const [, kind, raw] = /^\/(session|workspace)\/([^/]+)\/?$/.exec(path) ?? [];
  if (raw === undefined) return null;
  try {
    const id = decodeURIComponent(raw);
    return id.length <= longest ? { kind: kind as Place["kind"], id } : null;
  } catch {
    return null;
  }
}

export const pathOf = (sessionId: string | null): string => (sessionId === null ? "/" : `/session/${encodeURIComponent(sessionId)}`);

/** Goes where the address says, and has it follow the open session, until the owner is disposed of. */
export function followAddress({ host, state, actions }: App, newSession: (folder: string) => void): void {
  if (host.kind !== "gateway") return;
  const [arrived, setArrived] = createSignal(false);
  /** Where a person was before stays in the history; where the page went by itself does not. */
  let moved: "pushState" | "replaceState" = "replaceState";
  let trips = 0;

  async function travel(place: Place | null): Promise<void> {
    const mine = ++trips;
    setArrived(false);
    moved = "replaceState";
    try {
      if (place?.kind === "session") await actions.visit(place.id);
      else if (place) await enter(place.id);
    } catch (failure) {
      actions.report(failure);
    }
    if (mine === trips) setArrived(true);
  }

  /** A folder is where its newest session is. */
  async function enter(workspaceId: string): Promise<void> {
    const { sessions } = await host.call("session.list", { workspaceId, limit: 1 });
    const newest = sessions[0];
    if (newest) return actions.visit(newest.id);
    const { workspaces } = await host.call("workspace.list", {});
    const workspace = workspaces.find((one) => one.id === workspaceId);
    if (!workspace) throw new HostError("not_found", text().shell.noWorkspace);
    newSession(workspace.path);
  }

  const back = () => {
    const place = placeAt(location.pathname);
    if (place === null) actions.open(null);
    void travel(place);
  };
  window.addEventListener("popstate", back);
  onCleanup(() => window.removeEventListener("popstate", back));

  let begun = false;
  createEffect(() => {
    if (!state.loaded || begun) return;
    begun = true;
    void untrack(() => travel(placeAt(location.pathname)));
  });
  createEffect(
    on([() => state.current, arrived], ([current, there]) => {
      if (!there) return;
      const path = pathOf(current);
      if (path !== location.pathname) history[moved](null, "", path);
      moved = "pushState";
    }),
  );
}
