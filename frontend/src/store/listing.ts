// The index behind the session lists: of every record, the few fields that determine its position, sorted by time. The
// records themselves are in the state; a list that read them there would be sorted again with every event of every
// session. Here an event that moves nothing costs nothing, and one that does moves one entry.

import { type Accessor, createSignal } from "solid-js";
import type { Session } from "../host/border.gen";
import { isBusy, type Place } from "./state";

export interface Entry {
  readonly id: string;
  readonly place: Place;
  readonly title: string;
  readonly cwd: string;
  readonly workspaceId: string;
  readonly pinned: boolean;
  /** Whether a request is pending. */
  readonly waiting: boolean;
  readonly busy: boolean;
  readonly unread: boolean;
  /** Whether it is a heartbeat run without findings. */
  readonly quiet: boolean;
  /**
   * When it was last active, in the trash when it was deleted (Unix ms). It does not change during a turn, so that
   * sessions working side by side do not keep swapping places.
   */
  readonly at: number;
}

export interface Listing {
  /** The entries of a place, newest first. The array is mutated: read it, do not keep it. */
  of(place: Place): readonly Entry[];
  get(id: string): Entry | undefined;
  put(session: Session): void;
  remove(id: string): void;
}

export function createListing(): Listing {
  const byId = new Map<string, Entry>();
  const places = { list: createPlace(), archive: createPlace(), trash: createPlace() };

  return {
    of: (place) => places[place].entries(),
    get: (id) => byId.get(id),
    put(session) {
      const old = byId.get(session.id);
      const entry = toEntry(session, old);
      if (old && same(old, entry)) return;
      if (old) places[old.place].take(old);
      byId.set(entry.id, entry);
      places[entry.place].insert(entry);
      if (old && old.place !== entry.place) places[old.place].tell();
      places[entry.place].tell();
    },
    remove(id) {
      const old = byId.get(id);
      if (!old) return;
      byId.delete(id);
      places[old.place].take(old);
      places[old.place].tell();
    },
  };
}

interface PlaceList {
  entries: Accessor<Entry[]>;
  take(entry: Entry): void;
  insert(entry: Entry): void;
  tell(): void;
}

function createPlace(): PlaceList {
  const list: Entry[] = [];
  const [entries, setEntries] = createSignal(list, { equals: false });
  return {
    entries,
    take: (entry) => list.splice(position(list, entry), 1),
    insert: (entry) => list.splice(position(list, entry), 0, entry),
    tell: () => setEntries(list),
  };
}

/** The index at which the entry is, or would be. */
function position(list: readonly Entry[], entry: Entry): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other && before(other, entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function before(a: Entry, b: Entry): boolean {
  return a.at === b.at ? a.id < b.id : a.at > b.at;
}

function toEntry(session: Session, old: Entry | undefined): Entry {
  const busy = isBusy(session);
  const place = session.deletedAt > 0 ? "trash" : session.archivedAt > 0 ? "archive" : "list";
  return {
    id: session.id,
    place,
    title: session.title,
    cwd: session.cwd,
    workspaceId: session.workspaceId,
    pinned: session.pinned,
    waiting: session.state === "waiting" || session.openQuestions > 0,
    busy,
    unread: session.unread,
    quiet: session.quiet,
    at: place === "trash" ? session.deletedAt : place === "archive" ? session.archivedAt : busy && old?.busy ? old.at : session.lastActivityAt,
  };
}

function same(a: Entry, b: Entry): boolean {
  return (Object.keys(b) as (keyof Entry)[]).every((key) => a[key] === b[key]);
}
