// In a browser, the page's address names the open session or place, so that reload, bookmarks, back and forward work.
// The app window has no address.

import { createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import { HostError } from "../../host/host";
import { text } from "../../i18n";
import { placeKinds, placeOf, type PlaceKind } from "../../store/arrangement";
import type { App } from "../../store/context";

/** The target of an address: a session, a folder, or a place with its part. */
export type Place = { kind: "session" | "workspace"; id: string } | { kind: PlaceKind; part?: string };

/** Longer ids are invalid. */
const longest = 200;

export function placeAt(path: string): Place | null {
  const [, kind = "", raw] = /^\/([a-z]+)(?:\/([^/]+))?\/?$/.exec(path) ?? [];
  let id: string | undefined;
  try {
    id = raw === undefined ? undefined : decodeURIComponent(raw);
  } catch {
    return null;
  }
  if (id !== undefined && id.length > longest) return null;
  if (kind === "session" || kind === "workspace") return id === undefined ? null : { kind, id };
  const place = placeKinds.find((one) => one === kind);
  if (place === undefined) return null;
  return id === undefined ? { kind: place } : { kind: place, part: id };
}

export function pathOf(place: Place | null): string {
  if (place === null) return "/";
  const part = "id" in place ? place.id : place.part;
  return part === undefined ? `/${place.kind}` : `/${place.kind}/${encodeURIComponent(part)}`;
}

/** Navigates to the address, then keeps it in sync with the open session until the owner is disposed of. */
export function followAddress({ host, state, actions, layout }: App, newSession: (folder: string) => void): void {
  if (host.kind !== "gateway") return;
  const [arrived, setArrived] = createSignal(false);
  /** The user's navigation is added to the history; the page's own replaces the entry. */
  let moved: "pushState" | "replaceState" = "replaceState";
  let trips = 0;

  async function travel(place: Place | null): Promise<void> {
    const mine = ++trips;
    setArrived(false);
    moved = "replaceState";
    try {
      if (place && !("id" in place)) await show(place.kind, place.part);
      else if (place?.kind === "session") await actions.visit(place.id);
      else if (place) await enter(place.id);
    } catch (failure) {
      actions.report(failure);
    }
    if (mine === trips) setArrived(true);
  }

  /** Rooms are addressed by name, other places by tab. */
  async function show(kind: PlaceKind, part: string | undefined): Promise<void> {
    if (part === undefined) return layout.go({ kind });
    if (kind !== "rooms") return layout.go({ kind, tab: part });
    const { rooms } = await host.call("room.list", {});
    layout.go({ kind, name: rooms.find((room) => room.id === part || room.name === part)?.id ?? part });
  }

  /** The open target, as in an address. */
  function open(): Place | null {
    const kind = placeOf(layout.active());
    if (kind === null) return state.current === null ? null : { kind: "session", id: state.current };
    const at = layout.at(kind);
    const part = at?.name ?? at?.tab;
    return part === undefined ? { kind } : { kind, part };
  }

  /** A folder opens its newest session. */
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
    on([() => pathOf(open()), arrived], ([path, there]) => {
      if (!there) return;
      if (path !== location.pathname) history[moved](null, "", path);
      moved = "pushState";
    }),
  );
}
