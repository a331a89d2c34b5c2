// What a user can do. Every action calls the program and lets the events that
// follow change the state, except where there is nothing to wait for.

import type { PermissionRespondParams, PermissionRespondResult, SettingsPatch } from "../host/border.gen";
import type { ArrangeActions } from "./arrange";
import type { Where } from "./pages";
import type { DraftAttachment, Place, Theme } from "./state";

export interface Actions extends ArrangeActions {
  /** Shows a session in the pane that has the focus (null: no session there), and reads its messages. */
  open(sessionId: string | null): void;
  /** Opens a session that may be on no list. Where there is none, its place says so. */
  visit(sessionId: string): Promise<void>;
  /** Reads a session's newest messages unless they are in memory. */
  read(sessionId: string): Promise<void>;
  /** Takes in what another program has added to a conversation, soon. */
  refresh(sessionId: string): void;
  /** Opens a session and shows a message of it, however far back it is. */
  jump(sessionId: string, where: Where): Promise<void>;
  /** Shows the very first messages of a session, unless that is not wanted any more when they are read. */
  toStart(sessionId: string, wanted: () => boolean): Promise<void>;
  /** Goes back to the newest messages after a jump. */
  leaveJump(sessionId: string): void;
  /** Forgets where somebody went in the conversation that is in memory: coming back, they are where they were. */
  settleJump(sessionId: string): void;
  /** Reads what is between the messages that a jump shows and the newest, as far as memory allows. */
  bridge(sessionId: string): Promise<void>;
  /** Reads everything again that is shown before the first event: that failed. */
  retry(): Promise<void>;
  /** Reads the archive or the trash, or a list again after a failure. */
  readList(place: Place): Promise<void>;
  readWorkspaces(): Promise<void>;
  /** Reads the next older page of messages. */
  loadOlder(sessionId: string): Promise<void>;
  /** Reads the newest messages again (after a failure). */
  reload(sessionId: string): Promise<void>;
  /** Makes a session that plays the guided tour, and opens it; asked again meanwhile, it makes no other. Rejects with a HostError. */
  takeTour(): Promise<void>;
  /** Sends the session's draft; delivery is for a running turn. The draft stays when that fails. */
  send(sessionId: string, delivery?: "now" | "queue"): Promise<void>;
  interrupt(sessionId: string): Promise<void>;
  /** Guard is "off", "static" or "reviewed"; without it the guard stays as it is. */
  setPermissionMode(sessionId: string, mode: string, guard?: string): Promise<void>;
  setModel(sessionId: string, model: string): Promise<void>;
  setEffort(sessionId: string, effort: string): Promise<void>;
  /** Answers a question. Resolves to how it ended, by this answer or another one; rejects with a HostError. */
  respond(params: PermissionRespondParams): Promise<PermissionRespondResult>;
  /** A composer shows the session's draft from now on, until it leaves it. Asked again, it looks for news. */
  openDraft(sessionId: string): void;
  leaveDraft(sessionId: string): void;
  /** Ends the choice between what is here and another window's draft. */
  chooseDraft(sessionId: string, which: "this" | "other"): void;
  setDraftText(sessionId: string, text: string): void;
  addAttachments(sessionId: string, attachments: DraftAttachment[], error: string): void;
  removeAttachment(sessionId: string, id: string): void;
  /** Takes out of the draft what went elsewhere; what was typed meanwhile stays. */
  spendDraft(sessionId: string, text: string, attachments: readonly DraftAttachment[]): void;
  setTheme(theme: Theme): void;
  /** Changes settings. Rejects with a HostError. */
  changeSettings(patch: SettingsPatch): Promise<void>;
  /** Asks the program again what it is (after installing the CLI, say). */
  refreshInfo(): Promise<void>;
  /** Shows a failure that belongs to no session. */
  report(failure: unknown): void;
  /** Puts away the failure that belongs to no session. */
  /** Has everything drawn as usual again, after pages that died. */
  leaveSafeMode(): Promise<void>;
  dismissProblem(): void;
}
