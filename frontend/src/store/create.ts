// Puts the state, the intake and the actions together over a host.

import { createEffect, createRoot, on, untrack } from "solid-js";
import { createStore, produce, reconcile } from "solid-js/store";
import { type Host, HostError, messageOf } from "../host/host";
import { newId } from "../lib/id";
import type { Actions } from "./actions";
import type { App } from "./context";
import { prepend } from "./conversation";
import { readDrafts, writeDrafts } from "./drafts";
import { createIntake, pageSize, type Schedule } from "./intake";
import { emptyDraft, initialState, type Draft } from "./state";

/** Sessions whose messages stay in memory; the one on the page is among them. */
const maxConversations = 4;
const maxSessions = 500;
const saveDelay = 400;

export interface Options {
  schedule?: Schedule;
  newId?: () => string;
}

export function createApp(host: Host, options: Options = {}): App & { dispose(): void } {
  const promptIdOf = options.newId ?? newId;
  const [state, set] = createStore({ ...initialState(), drafts: readDrafts() });
  const intake = createIntake({ state, set }, host, options.schedule);
  const stopEvents = host.onEvents((events) => intake.push(events));
  /** The sessions last looked at, the newest at the end. */
  let viewed: string[] = [];
  let attempt = 0;
  let saving: ReturnType<typeof setTimeout> | undefined;

  /** Reads everything that is shown before the first event, again after each reconnect. */
  async function bootstrap(): Promise<void> {
    const mine = ++attempt;
    try {
      const info = await host.call("app.info", {});
      const list = await host.call("session.list", { limit: maxSessions });
      const open = await host.call("permission.list", {});
      if (mine !== attempt) return;
      set({ info, theme: themeOf(info.settings.theme), problem: null });
      const current = list.sessions.some((s) => s.id === state.current) ? state.current : null;
      for (const id of Object.keys(state.conversations)) if (id !== current) intake.unload(id);
      if (current) void intake.load(current);
      intake.resume(list.sessions, open.requests);
      set({ loaded: true, current });
    } catch (error) {
      if (mine === attempt) report(error);
    }
  }

  function report(error: unknown): void {
    const code = error instanceof HostError ? error.code : "internal";
    // The state of the link has its own banner.
    if (code !== "offline") set("problem", { code, message: messageOf(error) });
  }

  /** Runs a call whose outcome shows through events; a failure goes to the banner. */
  async function run(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      report(error);
    }
  }

  function changeDraft(sessionId: string, change: Partial<Draft>): void {
    set("drafts", sessionId, (draft) => ({ ...(draft ?? emptyDraft()), ...change }));
    clearTimeout(saving);
    saving = setTimeout(() => writeDrafts(state.drafts), saveDelay);
  }

  const actions: Actions = {
    open(sessionId) {
      set("current", sessionId);
      if (sessionId === null) return;
      viewed = [...viewed.filter((id) => id !== sessionId), sessionId];
      for (const id of viewed.splice(0, viewed.length - maxConversations)) intake.unload(id);
      // Whoever opens a session from an effect must not run again for what is read here.
      const conversation = untrack(() => state.conversations[sessionId]?.load);
      if (conversation === undefined || conversation === "failed") void untrack(() => intake.load(sessionId));
    },

    async loadOlder(sessionId) {
      const conversation = state.conversations[sessionId];
      if (!conversation?.hasMore || conversation.loadingOlder) return;
      const before = conversation.before;
      set("conversations", sessionId, "loadingOlder", true);
      try {
        const history = await host.call("session.history", { sessionId, limit: pageSize, before });
        if (state.conversations[sessionId]?.before !== before) return;
        set("conversations", sessionId, produce((c) => prepend(c, history)));
      } catch (error) {
        report(error);
      } finally {
        if (state.conversations[sessionId]) set("conversations", sessionId, "loadingOlder", false);
      }
    },

    reload: (sessionId) => intake.load(sessionId),

    async create(cwd) {
      const session = await host.call("session.create", { cwd });
      intake.learn(session);
      actions.open(session.id);
      set("info", "recentFolders", (folders) => [cwd, ...folders.filter((f) => f !== cwd)]);
    },

    async rehearse() {
      const session = await host.call("rehearsal.begin", {});
      intake.learn(session);
      actions.open(session.id);
    },

    async send(sessionId) {
      const draft = state.drafts[sessionId];
      if (!draft || draft.sending) return;
      if (draft.text.trim() === "") {
        // The API refuses a message without text, and the conversation with it from then on.
        if (draft.attachments.length > 0) changeDraft(sessionId, { error: "Write what to do with the image." });
        return;
      }
      const { text, attachments } = draft;
      const promptId = draft.promptId || promptIdOf();
      changeDraft(sessionId, { sending: true, error: "", promptId });
      try {
        await host.call("session.prompt", {
          sessionId,
          text,
          promptId,
          attachments: attachments.map(({ name, mediaType, data }) => ({ name, mediaType, data })),
        });
      } catch (error) {
        changeDraft(sessionId, { sending: false, error: messageOf(error) });
        return;
      }
      // What was typed or attached while it was on its way stays.
      const now = state.drafts[sessionId] ?? emptyDraft();
      const sent = new Set(attachments.map((a) => a.id));
      changeDraft(sessionId, {
        sending: false,
        promptId: "",
        text: now.text.startsWith(text) ? now.text.slice(text.length) : now.text,
        attachments: now.attachments.filter((a) => !sent.has(a.id)),
      });
    },

    interrupt: (sessionId) => run(host.call("session.interrupt", { sessionId })),
    closeSession: (sessionId) => run(host.call("session.close", { sessionId })),
    setPermissionMode: (sessionId, mode) => run(host.call("session.setPermissionMode", { sessionId, mode })),
    setModel: (sessionId, model) => run(host.call("session.setModel", { sessionId, model })),
    setEffort: (sessionId, effort) => run(host.call("session.setEffort", { sessionId, effort })),

    async respond(params) {
      const { won } = await host.call("permission.respond", params);
      return won;
    },

    setDraftText(sessionId, text) {
      if (state.drafts[sessionId]?.text === text) return;
      // Another text is another prompt; while the first is on its way it keeps its id.
      const change: Partial<Draft> = state.drafts[sessionId]?.sending ? { text } : { text, promptId: "", error: "" };
      changeDraft(sessionId, change);
    },

    addAttachments(sessionId, attachments, error) {
      const known = state.drafts[sessionId] ?? emptyDraft();
      changeDraft(sessionId, { attachments: [...known.attachments, ...attachments], promptId: "", error });
    },

    removeAttachment(sessionId, id) {
      const known = state.drafts[sessionId] ?? emptyDraft();
      changeDraft(sessionId, { attachments: known.attachments.filter((a) => a.id !== id), promptId: "", error: "" });
    },

    setTheme(theme) {
      set("theme", theme);
      void run(host.call("settings.set", { theme }));
    },

    async refreshInfo() {
      try {
        set("info", reconcile(await host.call("app.info", {})));
      } catch (error) {
        report(error);
      }
    },

    dismissProblem: () => set("problem", null),
  };

  const dispose = createRoot((disposeRoot) => {
    createEffect(
      on(host.status, (status) => {
        if (status.kind === "open") void bootstrap();
        else {
          attempt++;
          intake.pause();
        }
      }),
    );
    return disposeRoot;
  });

  return {
    state,
    host,
    actions,
    dispose() {
      clearTimeout(saving);
      writeDrafts(state.drafts);
      stopEvents();
      dispose();
    },
  };
}

function themeOf(theme: string): "system" | "light" | "dark" {
  return theme === "light" || theme === "dark" ? theme : "system";
}
