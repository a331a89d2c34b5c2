// Creates the state, the intake and the actions over a host.

import { type Accessor, createEffect, createRoot, createSignal, on, onCleanup, untrack } from "solid-js";
import { createStore, reconcile } from "solid-js/store";
import type { SessionList } from "../host/border.gen";
import { type Host, HostError, messageOf } from "../host/host";
import { setPlainly } from "../lib/plainly";
import type { Actions } from "./actions";
import { createArrangeActions } from "./arrange";
import { createCatalogue, listPage } from "./catalogue";
import type { App } from "./context";
import { createDrafts } from "./drafts";
import type { Schedule } from "./frames";
import { createIntake } from "./intake";
import { placeOf } from "./arrangement";
import { createLayout } from "./layout";
import { createListing } from "./listing";
import { createPages } from "./pages";
import { initialState } from "./state";

export interface Options {
  schedule?: Schedule;
  newId?: () => string;
}

export function createApp(host: Host, options: Options = {}): App & { dispose(): void } {
  const [state, set] = createStore(initialState());
  const store = { state, set, listing: createListing() };
  const drafts = createDrafts(store, host, options.newId);
  const intake = createIntake(store, host, options.schedule);
  const catalogue = createCatalogue(store, host, intake);
  const stopEvents = host.onEvents((events) => {
    intake.push(events);
    for (const { event, payload } of events) {
      if (event === "done" && payload.promptId) drafts.ended(payload.sessionId, payload.promptId, payload.reason);
    }
  });
  const stopGlobal = host.onGlobal((event) => catalogue.push(event));
  const layout = createLayout(host, (current, shown) => set({ current, shown }));
  const pages = createPages(store, host, intake, layout, report);
  let attempt = 0;

  /** Loads everything shown before the first event, again after each reconnect. */
  async function bootstrap(): Promise<void> {
    const mine = ++attempt;
    try {
      const info = await host.call("app.info", {});
      const list = await host.call("session.list", { limit: listPage });
      const open = await host.call("permission.list", {});
      setPlainly(info.safeMode);
      await layout.restore(info.safeMode);
      const gone = await lookUp(list);
      if (mine !== attempt) return;
      set({ info, theme: themeOf(info.settings.theme), problem: null });
      gone.forEach(layout.close);
      pages.renew();
      intake.resume(list.sessions, open.requests);
      set({ loaded: true });
      catalogue.start(list);
    } catch (error) {
      if (mine === attempt) report(error);
    }
  }

  /** Adds sessions with a tab that are further down in a long list; returns those that no longer exist. */
  async function lookUp(list: SessionList): Promise<string[]> {
    const known = new Set(list.sessions.map((s) => s.id));
    const missing = layout.state.panes.flatMap((pane) => pane.tabs).filter((id) => !known.has(id) && placeOf(id) === null);
    const gone: string[] = [];
    await Promise.all(
      missing.map(async (sessionId) => {
        try {
          list.sessions.push(await host.call("session.get", { sessionId }));
        } catch (error) {
          if (!(error instanceof HostError) || error.code !== "not_found") throw error;
          gone.push(sessionId);
        }
      }),
    );
    return gone;
  }

  function report(error: unknown): void {
    const code = error instanceof HostError ? error.code : "internal";
    // The connection state has its own banner.
    if (code !== "offline") set("problem", { code, message: messageOf(error) });
  }

  /** Runs a call whose result arrives through events; a failure goes to the banner. */
  async function run(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      report(error);
    }
  }

  let touring: Promise<void> | undefined;
  async function beginTour(): Promise<void> {
    const session = await host.call("demo.start", { play: true });
    intake.learn(session);
    actions.open(session.id);
  }

  const arrange = createArrangeActions({
    store,
    host,
    intake,
    open: (sessionId) => actions.open(sessionId),
    run,
    readWorkspaces: catalogue.readWorkspaces,
    askEnd: (sessionId, close) => layout.setOverlay({ kind: "archive", sessionId, ...(close ? { close } : {}) }),
  });

  const actions: Actions = {
    ...drafts.actions,
    ...arrange.actions,
    readList: catalogue.read,
    readWorkspaces: catalogue.readWorkspaces,
    retry: bootstrap,
    report,

    open(sessionId) {
      untrack(() => layout.open(sessionId));
      // A session that crashed the page is only loaded when the user asks for it.
      if (sessionId !== null && untrack(() => !state.sessions[sessionId]?.trouble)) void pages.read(sessionId);
    },
    async visit(sessionId) {
      if (!state.sessions[sessionId]) {
        try {
          intake.learn(await host.call("session.get", { sessionId }));
        } catch (error) {
          if (!(error instanceof HostError) || error.code !== "not_found") throw error;
          layout.open(sessionId);
          return;
        }
      }
      actions.open(sessionId);
    },
    read: pages.read,
    refresh: pages.refresh,
    async jump(sessionId, where) {
      // A search finds sessions beyond the loaded part of the list.
      if (!state.sessions[sessionId]) await run(host.call("session.get", { sessionId }).then(intake.learn));
      actions.open(sessionId);
      if (where.target || where.messageId) await pages.jump(sessionId, where);
      else pages.leaveJump(sessionId);
    },
    toStart: pages.toStart,
    leaveJump: pages.leaveJump,
    settleJump: pages.settleJump,
    bridge: pages.bridge,
    loadOlder: pages.loadOlder,
    reload: (sessionId) => intake.load(sessionId),

    takeTour() {
      touring ??= beginTour().finally(() => (touring = undefined));
      return touring;
    },

    interrupt: (sessionId) => run(host.call("session.interrupt", { sessionId })),
    setPermissionMode: (sessionId, mode, guard) => run(host.call("session.setPermissionMode", { sessionId, mode, ...(guard === undefined ? {} : { guard }) })),
    setModel: (sessionId, model) => run(host.call("session.setModel", { sessionId, model })),
    setEffort: (sessionId, effort) => run(host.call("session.setEffort", { sessionId, effort })),

    respond: (params) => host.call("permission.respond", params),

    setTheme(theme) {
      set("theme", theme);
      void run(host.call("settings.set", { theme }));
    },

    async changeSettings(patch) {
      const settings = await host.call("settings.set", patch);
      set("info", (info) => info && { ...info, settings });
      set("theme", themeOf(settings.theme));
    },

    async refreshInfo() {
      try {
        const info = await host.call("app.info", {});
        setPlainly(info.safeMode);
        set("info", reconcile(info));
        set("theme", themeOf(info.settings.theme));
      } catch (error) {
        report(error);
      }
    },

    leaveSafeMode: () => run(host.call("window.leaveSafeMode", {})),

    dismissProblem: () => set("problem", null),
  };

  const dispose = createRoot((disposeRoot) => {
    const isVisible = createVisible();
    createEffect(
      on(host.status, (status) => {
        if (status.kind === "open") {
          void bootstrap();
          untrack(() => drafts.resume());
        } else {
          attempt++;
          intake.pause();
          catalogue.stop();
        }
      }),
    );
    createEffect(() => {
      const entries = store.listing.of("list");
      untrack(() => catalogue.meet(entries));
    });
    // A user who has the session in view has seen that it finished.
    createEffect(() => {
      for (const id of state.shown) {
        if (state.sessions[id]?.unread && isVisible()) void untrack(() => actions.seen(id));
      }
    });
    return disposeRoot;
  });

  return {
    state,
    listing: store.listing,
    host,
    actions,
    follow: intake.follow,
    layout,
    dispose() {
      layout.dispose();
      pages.dispose();
      drafts.dispose();
      arrange.dispose();
      stopEvents();
      stopGlobal();
      dispose();
    },
  };
}

function themeOf(theme: string): "system" | "light" | "dark" {
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Whether the page is visible. */
function createVisible(): Accessor<boolean> {
  const now = () => document.visibilityState !== "hidden";
  const [visible, setVisible] = createSignal(now());
  const update = () => setVisible(now());
  document.addEventListener("visibilitychange", update);
  onCleanup(() => document.removeEventListener("visibilitychange", update));
  return visible;
}
