// The sessions' records in the state, and the lists derived from them. Nothing else writes or removes whole records.

import { produce, reconcile, type SetStoreFunction } from "solid-js/store";
import type { Session } from "../host/border.gen";
import type { Listing } from "./listing";
import type { AppState } from "./state";

export interface Store {
  readonly state: AppState;
  readonly set: SetStoreFunction<AppState>;
  readonly listing: Listing;
}

/** The fields of a record that events do not update: where it is listed and how it was created. */
const shelf = [
  "origin",
  "workspaceId",
  "profile",
  "mirror",
  "titleSource",
  "pinned",
  "unread",
  "archivedAt",
  "deletedAt",
  "interrupted",
  "hasDraft",
  "trouble",
  "messages",
  "bytes",
  "forkedFrom",
  "previousCliSessionIds",
] as const satisfies readonly (keyof Session)[];

export function putRecord({ set, listing }: Store, session: Session): void {
  listing.put(session);
  set("sessions", session.id, reconcile(session, { key: null }));
}

/** Copies from an older record only the fields that events do not update. */
export function putShelf(store: Store, session: Session): void {
  const known = store.state.sessions[session.id];
  if (!known) return;
  const change = Object.fromEntries(shelf.map((key) => [key, session[key]])) as Partial<Session>;
  store.listing.put({ ...known, ...change });
  store.set("sessions", session.id, change);
}

export function dropRecord({ set, listing }: Store, sessionId: string): void {
  listing.remove(sessionId);
  set(
    "sessions",
    produce((sessions) => {
      delete sessions[sessionId];
    }),
  );
}
