// Actions on sessions and workspaces as list items. Results and events change the state; failures go to the banner,
// unless the caller shows them.

import { produce } from "solid-js/store";
import { text } from "../i18n";
import type { Session, SessionCreateParams, WorkspaceDefaults, Workspace } from "../host/border.gen";
import type { Host } from "../host/host";
import type { Intake } from "./intake";
import type { Store } from "./records";
import type { Undo } from "./state";

export interface ArrangeActions {
  /** Creates a session and opens it; a string is its folder. Rejects with a HostError. */
  create(what: string | SessionCreateParams): Promise<Session>;
  /** Creates a session that continues from a message of another, or from its end, and opens it. */
  fork(sessionId: string, messageId?: string): Promise<void>;
  /** Creates a session with the same choices and a copy of the draft, and opens it. */
  duplicate(sessionId: string): Promise<void>;
  rename(sessionId: string, title: string): Promise<void>;
  pin(sessionId: string, pinned: boolean): Promise<void>;
  /** Archives a session; undo restores it. Confirms first if background tasks are running, unless force is set. */
  archive(sessionId: string, force?: boolean): Promise<void>;
  unarchive(sessionId: string): Promise<void>;
  /** Closes a session. Confirms first, like archive. */
  closeSession(sessionId: string, force?: boolean): Promise<void>;
  /** Moves a session to the trash; undo restores it. The caller has to warn about background tasks. */
  remove(sessionId: string): Promise<void>;
  restore(sessionId: string): Promise<void>;
  /** Deletes a trashed session permanently. */
  purge(sessionId: string): Promise<void>;
  reopen(sessionId: string): Promise<void>;
  suspend(sessionId: string): Promise<void>;
  /** Clears the context of the session. */
  fresh(sessionId: string): Promise<void>;
  /** Marks a session as seen. */
  seen(sessionId: string): Promise<void>;
  /** The workspace of a folder. Created if it doesn't exist. Rejects with a HostError. */
  openWorkspace(path: string): Promise<Workspace>;
  renameWorkspace(workspaceId: string, name: string): Promise<void>;
  pinWorkspace(workspaceId: string, pinned: boolean): Promise<void>;
  /** Rejects with a HostError. */
  setWorkspaceDefaults(workspaceId: string, defaults: WorkspaceDefaults): Promise<void>;
  setGeneralWorkspace(workspaceId: string): Promise<void>;
  /** Removes a workspace from the list; undo restores it. */
  removeWorkspace(workspaceId: string): Promise<void>;
  /** Restores the last removed item. */
  undo(): Promise<void>;
  dismissUndo(): void;
}

export interface ArrangeContext {
  store: Store;
  host: Host;
  intake: Intake;
  open(sessionId: string | null): void;
  /** Runs a call and reports its failure. */
  run(call: Promise<unknown>): Promise<void>;
  readWorkspaces(): Promise<void>;
  /** Confirms archiving or closing a session that has background tasks. */
  askEnd(sessionId: string, close?: boolean): void;
}

/** How long a removed item can be restored with one click. */
const undoTime = 20_000;

export function createArrangeActions(context: ArrangeContext): { actions: ArrangeActions; dispose(): void } {
  const { host, intake, run, store } = context;
  const { state, set } = store;
  let forgetting: ReturnType<typeof setTimeout> | undefined;

  const learn = async (call: Promise<Session>): Promise<Session> => {
    const session = await call;
    intake.learn(session);
    return session;
  };
  const change = (call: Promise<Session>) => run(learn(call));

  async function show(call: Promise<Session>): Promise<Session> {
    const session = await learn(call);
    context.open(session.id);
    // A folder that was not listed is listed again.
    void context.readWorkspaces();
    const { cwd } = session;
    if (state.info) set("info", "recentFolders", (folders) => [cwd, ...folders.filter((f) => f !== cwd)]);
    return session;
  }

  /** Offers to undo an action once it has succeeded. */
  const offering = (undo: Undo, call: Promise<unknown>) =>
    run(
      call.then(() => {
        clearTimeout(forgetting);
        set("undo", undo);
        forgetting = setTimeout(() => set("undo", null), undoTime);
      }),
    );
  /** Whether a session has background tasks. */
  const works = (sessionId: string) => (state.sessions[sessionId]?.tasks.length ?? 0) > 0;
  const titleOf = (sessionId: string) => state.sessions[sessionId]?.title || text().common.newSession;

  function putWorkspace(workspace: Workspace): void {
    set(
      produce((s) => {
        s.workspaces[workspace.id] = workspace;
        if (!s.workspaceOrder.includes(workspace.id)) s.workspaceOrder.push(workspace.id);
      }),
    );
  }
  const learnWorkspace = async (call: Promise<Workspace>): Promise<void> => putWorkspace(await call);

  /** Leaves a session that is no longer listed. */
  const leave = (sessionId: string) => {
    if (state.current === sessionId) context.open(null);
  };

  const actions: ArrangeActions = {
    create: (what) => show(host.call("session.create", typeof what === "string" ? { cwd: what } : what)),
    fork: (sessionId, messageId) =>
      run(show(host.call("session.fork", messageId === undefined ? { sessionId } : { sessionId, messageId }))),
    duplicate: (sessionId) => run(show(host.call("session.duplicate", { sessionId }))),
    rename: (sessionId, title) => change(host.call("session.rename", { sessionId, title })),
    pin: (sessionId, pinned) => change(host.call("session.pin", { sessionId, pinned })),
    async archive(sessionId, force) {
      // Background tasks are not ended without asking.
      if (!force && works(sessionId)) {
        context.askEnd(sessionId);
        return;
      }
      await offering(
        { kind: "archive", id: sessionId, title: titleOf(sessionId) },
        learn(host.call("session.archive", force ? { sessionId, force } : { sessionId })).then(() => leave(sessionId)),
      );
    },
    unarchive: (sessionId) => change(host.call("session.unarchive", { sessionId })),
    async closeSession(sessionId, force) {
      if (!force && works(sessionId)) context.askEnd(sessionId, true);
      else await run(host.call("session.close", force ? { sessionId, force } : { sessionId }));
    },
    remove: (sessionId) =>
      offering(
        { kind: "delete", id: sessionId, title: titleOf(sessionId) },
        learn(host.call("session.delete", works(sessionId) ? { sessionId, force: true } : { sessionId })).then(() => leave(sessionId)),
      ),
    restore: (sessionId) => change(host.call("session.restore", { sessionId })),
    purge: (sessionId) =>
      run(
        host.call("session.purge", { sessionId }).then(() => {
          leave(sessionId);
          intake.forget(sessionId);
        }),
      ),
    reopen: (sessionId) => change(host.call("session.reopen", { sessionId })),
    suspend: (sessionId) => change(host.call("session.suspend", { sessionId })),
    fresh: (sessionId) => change(host.call("session.clearContext", { sessionId })),
    async seen(sessionId) {
      if (!state.sessions[sessionId]?.unread) return;
      set("sessions", sessionId, "unread", false);
      const session = state.sessions[sessionId];
      if (session) store.listing.put(session);
      await run(host.call("session.markRead", { sessionId }));
    },

    async openWorkspace(path) {
      const workspace = await host.call("workspace.open", { path });
      putWorkspace(workspace);
      return workspace;
    },
    renameWorkspace: (workspaceId, name) => run(learnWorkspace(host.call("workspace.rename", { workspaceId, name }))),
    pinWorkspace: (workspaceId, pinned) =>
      run(host.call("workspace.pin", { workspaceId, pinned }).then(() => context.readWorkspaces())),
    setWorkspaceDefaults: (workspaceId, defaults) =>
      learnWorkspace(host.call("workspace.setDefaults", { workspaceId, defaults })),
    setGeneralWorkspace: (workspaceId) =>
      run(host.call("workspace.setGeneral", { workspaceId }).then(() => context.readWorkspaces())),
    removeWorkspace: (workspaceId) =>
      offering(
        { kind: "workspace", id: workspaceId, title: state.workspaces[workspaceId]?.title ?? "" },
        host.call("workspace.delete", { workspaceId }).then(() => context.readWorkspaces()),
      ),

    async undo() {
      const undo = state.undo;
      if (!undo) return;
      set("undo", null);
      if (undo.kind === "archive") await change(host.call("session.unarchive", { sessionId: undo.id }));
      else if (undo.kind === "delete") await change(host.call("session.restore", { sessionId: undo.id }));
      else await run(host.call("workspace.restore", { workspaceId: undo.id }).then(() => context.readWorkspaces()));
    },
    dismissUndo: () => set("undo", null),
  };
  return { actions, dispose: () => clearTimeout(forgetting) };
}
