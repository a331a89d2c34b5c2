// Loads the lists: the sessions page by page, the workspaces, and the progress of reading conversations on disk. The
// first page of sessions is loaded before the page shows anything (create.ts); the rest follows here, page by page, so
// that the user's requests go first.

import { batch } from "solid-js";
import { reconcile } from "solid-js/store";
import type { GlobalEvent, SessionList } from "../host/border.gen";
import { type Host, messageOf } from "../host/host";
import type { Intake } from "./intake";
import type { Entry } from "./listing";
import type { Store } from "./records";
import type { Place } from "./state";

/** Sessions per request. */
export const listPage = 200;
/** A list that changes while it is loaded is reloaded, at most this many times. */
const maxPasses = 3;

export interface Catalogue {
  /** Continues loading the list after its first page, and everything else that is listed. */
  start(first: SessionList): void;
  /** The connection is lost: pending requests are void. */
  stop(): void;
  /** Loads the archive or the trash, or reloads the list after a failure. */
  read(place: Place): Promise<void>;
  readWorkspaces(): Promise<void>;
  /** Reloads the workspaces if sessions belong to an unknown one. */
  meet(entries: readonly Entry[]): void;
  push(event: GlobalEvent): void;
}

export function createCatalogue(store: Store, host: Host, intake: Intake): Catalogue {
  const { state, set, listing } = store;
  /** Changes with every start and stop. */
  let run = 0;
  let workspaces: Promise<void> | null = null;
  let workspacesAgain = false;
  /** The workspaces requested before: unlisted ones are not returned. */
  const asked = new Set<string>();

  const paramsOf = (place: Place) => (place === "archive" ? { archived: true } : place === "trash" ? { trash: true } : {});

  /** Loads the rest of a list after its loaded pages, and drops entries that are no longer on it. */
  async function readAll(place: Place, first: SessionList | null): Promise<void> {
    const mine = run;
    const outdated = () => mine !== run;
    const before = listing.of(place).map((entry) => entry.id);
    set("lists", place, { load: "reading", error: "" });
    try {
      for (let pass = 1; ; pass++) {
        const met = new Set<string>();
        let page = pass === 1 ? first : null;
        for (let offset = 0; ; ) {
          page ??= await intake.learnPage(host.call("session.list", { limit: listPage, offset, ...paramsOf(place) }));
          if (outdated()) return;
          for (const session of page.sessions) met.add(session.id);
          set("lists", place, "total", page.total);
          offset += page.sessions.length;
          if (page.sessions.length === 0 || offset >= page.total) break;
          page = null;
        }
        // Removals while loading shifted entries across page boundaries.
        if (listing.of(place).length < state.lists[place].total && pass < maxPasses) continue;
        for (const id of before) if (!met.has(id) && listing.get(id)?.place === place) intake.forget(id);
        break;
      }
      set("lists", place, "load", "ready");
    } catch (error) {
      if (!outdated()) set("lists", place, { load: "failed", error: messageOf(error) });
    }
  }

  /** Loads the workspaces; again if requested in the meantime. */
  function readWorkspaces(): Promise<void> {
    workspacesAgain = true;
    workspaces ??= (async () => {
      while (workspacesAgain) {
        workspacesAgain = false;
        try {
          const list = await host.call("workspace.list", {});
          // Batched: followers of the order look up each of them.
          batch(() => {
            set("workspaces", reconcile(Object.fromEntries(list.workspaces.map((w) => [w.id, w])), { key: null }));
            set("workspaceOrder", list.workspaces.map((w) => w.id));
            set("workspacesError", "");
          });
        } catch (error) {
          set("workspacesError", messageOf(error));
        }
      }
      workspaces = null;
    })();
    return workspaces;
  }

  async function readLibrary(): Promise<void> {
    try {
      set("library", reconcile(await host.call("library.status", {})));
    } catch {
      // The next progress event updates it.
    }
  }

  async function readChat(): Promise<void> {
    try {
      set("chat", reconcile(await host.call("mattermost.get", {})));
    } catch {
      // The Mattermost page shows why it can't be loaded.
    }
  }

  return {
    start(first) {
      run++;
      void readAll("list", first);
      for (const place of ["archive", "trash"] as const) if (state.lists[place].load !== "none") void readAll(place, null);
      void readWorkspaces();
      void readLibrary();
      void readChat();
    },
    stop() {
      run++;
    },
    read: (place) => readAll(place, null),
    readWorkspaces,
    meet(entries) {
      const before = asked.size;
      for (const { workspaceId } of entries) {
        if (workspaceId !== "") asked.add(workspaceId);
      }
      if (asked.size > before && state.loaded) void readWorkspaces();
    },
    push(event) {
      switch (event.event) {
        case "sessions.changed":
          intake.pushChange(event.payload);
          return;
        case "workspaces.changed":
          void readWorkspaces();
          return;
        case "chat.changed":
          void readChat();
          return;
        case "problems.changed":
          if (state.info) set("info", "problems", reconcile(event.payload.problems));
          return;
        case "restart.changed":
          if (state.info) set("info", "restart", "waiting", event.payload.waiting);
          return;
        case "library.progress":
          set("library", reconcile(event.payload.library));
          return;
        case "usage.changed":
        case "permissions.changed":
        case "heartbeats.changed":
        case "memory.changed":
        case "memory.saved":
        case "room.changed":
        case "room.message":
        case "room.receipt":
        case "rules.changed":
        case "devices.changed":
          return; // handled by the components that show it
        // Events around the sessions have their own listeners (desk/desktop.ts).
        case "settings.changed":
        case "styles.changed":
        case "log.grew":
        case "notice.shown":
        case "notice.withdrawn":
        case "notice.opened":
        case "window.closing":
          return;
        default:
          event satisfies never;
      }
    },
  };
}
