// Unsent drafts. The page has a draft as long as its session is shown, and the program stores it: it is loaded when the
// session is opened and saved when typing pauses, so that it survives the page, the program and a lost connection. Two
// windows may edit the same draft. Neither overwrites the other: a newer version only replaces what was not changed
// here, and is offered otherwise.

import type { SetStoreFunction } from "solid-js/store";
import { type Host, HostError, messageOf } from "../host/host";
import { text as words } from "../i18n";
import { newId } from "../lib/id";
import type { Actions } from "./actions";
import { unfold } from "./pasted";
import { type AppState, type Draft, type DraftAttachment, emptyDraft } from "./state";

export const saveDelay = 500;
/** A user who never pauses is saved after this time anyway. */
const longestDelay = 3000;
const maxKnown = 8;
/** Marks images that the program may or may not have. */
const unknown = "?";
/** The number of drafts kept in memory while not shown. */
const maxKept = 12;
/** The number of sent prompts tracked until they end. */
const maxSent = 20;

type DraftActions = Pick<
  Actions,
  "send" | "setDraftText" | "addAttachments" | "removeAttachment" | "spendDraft" | "openDraft" | "leaveDraft" | "chooseDraft"
>;

export interface Drafts {
  readonly actions: DraftActions;
  /** A prompt has ended. If no CLI ever received it, its text returns to the box. */
  ended(sessionId: string, promptId: string, reason: string): void;
  /** The connection is up (again): loads changes from elsewhere and saves what was typed since. */
  resume(): void;
  /** Saves unsaved changes immediately, if connected. */
  flush(): void;
  dispose(): void;
}

/** The state of a draft besides its content. */
interface Entry {
  /** The number of composers that show it. */
  shown: number;
  /** The images that the program has. */
  images: string;
  /** The latest contents known here: anything else on the program is another window's. */
  known: string[];
  /** Counts local changes; all up to kept are saved. */
  version: number;
  kept: number;
  /** When the oldest unsaved change was made. */
  since: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  reading: boolean;
  /** The numbers of saves pending and made. */
  saving: number;
  saves: number;
  /** Whether to check the program's draft after them. */
  readLater: boolean;
  /** Whether the program's draft was loaded since connecting. */
  read: boolean;
}

export function createDrafts(
  { state, set }: { state: AppState; set: SetStoreFunction<AppState> },
  host: Host,
  promptIdOf: () => string = newId,
): Drafts {
  const entries = new Map<string, Entry>();
  /** Sent prompts that have not ended, by id. failed: it ended before the call was answered. */
  const sent = new Map<string, { text: string; attachments: DraftAttachment[]; failed: boolean }>();
  const online = () => host.status().kind === "open";
  const draftOf = (id: string): Draft => state.drafts[id] ?? emptyDraft();
  const dirty = (entry: Entry) => entry.version > entry.kept;

  function entryOf(id: string): Entry {
    let entry = entries.get(id);
    if (!entry) {
      entry = {
        shown: 0, images: "", known: [contentKey("", "")], version: 0, kept: 0, since: 0, timer: undefined, reading: false,
        saving: 0, saves: 0, readLater: false, read: false,
      };
      entries.set(id, entry);
    }
    return entry;
  }

  function learn(entry: Entry, content: string): void {
    entry.known = [...entry.known.filter((k) => k !== content), content].slice(-maxKnown);
  }

  function put(id: string, change: Partial<Draft>): void {
    set("drafts", id, (draft) => ({ ...(draft ?? emptyDraft()), ...change }));
  }

  /** Changes the draft and marks it as unsaved. */
  function edit(id: string, change: Partial<Draft>): void {
    put(id, change);
    const entry = entryOf(id);
    if (!dirty(entry)) entry.since = Date.now();
    entry.version++;
    schedule(id, entry);
  }

  function schedule(id: string, entry: Entry): void {
    clearTimeout(entry.timer);
    const left = entry.since + longestDelay - Date.now();
    entry.timer = setTimeout(() => void save(id), Math.max(0, Math.min(saveDelay, left)));
  }

  async function save(id: string): Promise<void> {
    const entry = entryOf(id);
    clearTimeout(entry.timer);
    const draft = draftOf(id);
    // Two drafts need a choice, or it is not known yet whether there are two.
    if (!dirty(entry) || draft.other || !online() || !entry.read) return;
    const { version } = entry;
    const images = imagesKey(draft.attachments);
    const attachments = images === entry.images ? {} : { attachments: draft.attachments.map(toPrompt) };
    entry.images = images;
    learn(entry, contentKey(draft.text, images));
    entry.saving++;
    entry.saves++;
    try {
      await host.call("draft.set", { sessionId: id, text: draft.text, ...attachments });
      entry.kept = Math.max(entry.kept, version);
    } catch (error) {
      // The program's version is unknown now; the next save sends all of it.
      entry.kept = Math.min(entry.kept, version - 1);
      entry.images = unknown;
      const lost = error instanceof HostError && error.code === "offline";
      if (!lost && !draftOf(id).error) put(id, { error: words().connection.draftNotSaved(messageOf(error)) });
    } finally {
      entry.saving--;
      if (entry.readLater && entry.saving === 0) void read(id);
    }
  }

  /** Loads the program's draft and merges it with the local one. */
  async function read(id: string): Promise<void> {
    const entry = entryOf(id);
    if (entry.reading || !online()) return;
    // The result may be from before or after a pending save.
    entry.readLater = entry.saving > 0;
    if (entry.readLater) return;
    entry.reading = true;
    const { saves } = entry;
    try {
      const there = await host.call("draft.get", { sessionId: id });
      if (entry.saves !== saves) {
        entry.readLater = true;
        return;
      }
      const here = draftOf(id);
      const attachments = there.attachments.map(fromPrompt);
      const images = imagesKey(attachments);
      const content = contentKey(there.text, images);
      const same = there.text === here.text && images === imagesKey(here.attachments);
      entry.read = true;
      entry.images = images;
      if (same) entry.kept = entry.version;
      else if (here.sending) return;
      else if (!dirty(entry)) put(id, { text: there.text, attachments, promptId: "", error: "", other: null });
      else if (there.text === "" && attachments.length === 0) put(id, { other: null });
      else if (!entry.known.includes(content)) {
        put(id, { other: { text: there.text, attachments, updatedAt: there.updatedAt } });
      }
      learn(entry, content);
      void save(id);
    } catch {
      // Without the program's draft, nothing is saved either; the next check loads it again.
    } finally {
      entry.reading = false;
      if (entry.readLater && entry.saving === 0) void read(id);
    }
  }

  /** Drops saved drafts that are not shown, the least recently used first. */
  function tidy(): void {
    for (const [id, entry] of entries) {
      if (entries.size <= maxKept) return;
      const draft = draftOf(id);
      if (entry.shown > 0 || dirty(entry) || draft.sending || draft.other) continue;
      entries.delete(id);
      set("drafts", id, undefined as unknown as Draft);
    }
  }

  const actions: DraftActions = {
    openDraft(id) {
      const entry = entryOf(id);
      entry.shown++;
      entries.delete(id);
      entries.set(id, entry);
      tidy();
      void read(id);
    },

    leaveDraft(id) {
      const entry = entryOf(id);
      entry.shown = Math.max(0, entry.shown - 1);
      void save(id);
    },

    chooseDraft(id, which) {
      const { other } = draftOf(id);
      if (!other) return;
      if (which === "other") edit(id, { text: other.text, attachments: other.attachments, promptId: "", error: "", other: null });
      else edit(id, { other: null });
      void save(id);
    },

    setDraftText(id, text) {
      const draft = draftOf(id);
      if (draft.text === text) return;
      // A changed text is a new prompt; while the first is being sent, it keeps its id.
      edit(id, draft.sending ? { text } : { text, promptId: "", error: "" });
    },

    addAttachments(id, attachments, error) {
      edit(id, { attachments: [...draftOf(id).attachments, ...attachments], promptId: "", error });
    },

    removeAttachment(id, attachment) {
      edit(id, { attachments: draftOf(id).attachments.filter((a) => a.id !== attachment), promptId: "", error: "" });
    },

    async send(id, delivery) {
      const draft = draftOf(id);
      if (draft.sending) return;
      const whole = unfold(draft.text, draft.attachments);
      if (whole.text.trim() === "") {
        // The API rejects a message without text, and from then on the whole conversation.
        if (draft.attachments.length > 0) put(id, { error: words().composer.writeSomething });
        return;
      }
      const { text, attachments } = draft;
      const promptId = draft.promptId || promptIdOf();
      put(id, { sending: true, error: "", promptId });
      const prompt = { text, attachments, failed: false };
      sent.set(promptId, prompt);
      for (const oldest of sent.keys()) if (sent.size > maxSent) sent.delete(oldest);
      try {
        await host.call("session.prompt", {
          sessionId: id,
          text: whole.text,
          promptId,
          attachments: whole.attachments.map(toPrompt),
          ...(delivery ? { delivery } : {}),
        });
      } catch (error) {
        sent.delete(promptId);
        put(id, { sending: false, error: messageOf(error) });
        return;
      }
      if (prompt.failed) {
        edit(id, { sending: false, promptId: "" });
        void save(id);
        return;
      }
      put(id, { sending: false });
      actions.spendDraft(id, text, attachments);
    },

    spendDraft(id, text, attachments) {
      const now = draftOf(id);
      const gone = new Set(attachments.map((a) => a.id));
      edit(id, {
        promptId: "",
        text: now.text.startsWith(text) ? now.text.slice(text.length) : now.text,
        attachments: now.attachments.filter((a) => !gone.has(a.id)),
      });
      const left = draftOf(id);
      // The box is free for the other draft.
      if (left.other && left.text === "" && left.attachments.length === 0) actions.chooseDraft(id, "other");
      else void save(id);
    },
  };

  function flush(): void {
    for (const id of entries.keys()) void save(id);
  }

  function onVisible(): void {
    if (document.visibilityState === "hidden") flush();
    else for (const [id, entry] of entries) if (entry.shown > 0) void read(id);
  }
  document.addEventListener("visibilitychange", onVisible);
  window.addEventListener("focus", onVisible);
  window.addEventListener("blur", flush);
  window.addEventListener("pagehide", flush);

  function ended(id: string, promptId: string, reason: string): void {
    const prompt = sent.get(promptId);
    if (!prompt) return;
    sent.delete(promptId);
    if (reason !== "failed") return;
    const draft = draftOf(id);
    if (draft.sending && draft.promptId === promptId) {
      prompt.failed = true;
      return;
    }
    const text = draft.text === "" ? prompt.text : `${prompt.text}\n\n${draft.text}`;
    edit(id, { text, attachments: [...prompt.attachments, ...draft.attachments], promptId: "" });
    void save(id);
  }

  return {
    actions,
    ended,
    resume() {
      for (const [id, entry] of entries) {
        entry.read = false;
        if (entry.shown > 0 || dirty(entry)) void read(id);
      }
    },
    flush,
    dispose() {
      flush();
      for (const entry of entries.values()) clearTimeout(entry.timer);
      document.removeEventListener("visibilitychange", onVisible);
      window.removeEventListener("focus", onVisible);
      window.removeEventListener("blur", flush);
      window.removeEventListener("pagehide", flush);
    },
  };
}

function toPrompt({ name, mediaType, data }: DraftAttachment) {
  return { name, mediaType, data };
}

function fromPrompt(attachment: { name: string; mediaType: string; data: string }): DraftAttachment {
  const { name, mediaType, data } = attachment;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return { id: newId(), name, mediaType, data, bytes: (data.length / 4) * 3 - padding };
}

/** A key that identifies a set of images; keeping the bytes twice would be too much. */
function imagesKey(attachments: DraftAttachment[]): string {
  return attachments.map((a) => `${a.name} ${a.mediaType} ${a.data.length} ${a.data.slice(-24)}`).join("\n");
}

function contentKey(text: string, images: string): string {
  return `${text}\0${images}`;
}
