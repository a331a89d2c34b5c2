// The user's actions. Every action calls the program and lets the resulting events change the state, unless there is
// nothing to wait for.

import type { PermissionRespondParams, PermissionRespondResult, SettingsPatch } from "../host/border.gen";
import type { ArrangeActions } from "./arrange";
import type { Where } from "./pages";
import type { DraftAttachment, Place, Theme } from "./state";

export interface Actions extends ArrangeActions {
  /** Shows a session in the focused pane (null: no session), and loads its messages. */
  open(sessionId: string | null): void;
  /** Opens a session that may not be listed. If it does not exist, its tab says so. */
  visit(sessionId: string): Promise<void>;
  /** Loads a session's newest messages unless they are in memory. */
  read(sessionId: string): Promise<void>;
  /** Soon loads what another program has added to a conversation. */
  refresh(sessionId: string): void;
  /** Opens a session and scrolls to a message, however far back it is. */
  jump(sessionId: string, where: Where): Promise<void>;
  /** Shows the very first messages of a session, if still wanted once they are loaded. */
  toStart(sessionId: string, wanted: () => boolean): Promise<void>;
  /** Goes back to the newest messages after a jump. */
  leaveJump(sessionId: string): void;
  /** Ends a jump within the conversation in memory; coming back restores the normal position. */
  settleJump(sessionId: string): void;
  /** Loads the messages between a jump's and the newest, as far as memory allows. */
  bridge(sessionId: string): Promise<void>;
  /** Repeats the initial load after it failed. */
  retry(): Promise<void>;
  /** Loads the archive or the trash, or reloads a list after a failure. */
  readList(place: Place): Promise<void>;
  readWorkspaces(): Promise<void>;
  /** Loads the next older page of messages. */
  loadOlder(sessionId: string): Promise<void>;
  /** Reloads the newest messages (after a failure). */
  reload(sessionId: string): Promise<void>;
  /** Creates a session with the guided tour and opens it; concurrent calls create only one. Rejects with a HostError. */
  takeTour(): Promise<void>;
  /** Sends the session's draft; delivery applies to a running turn. On failure, the draft stays. */
  send(sessionId: string, delivery?: "now" | "queue"): Promise<void>;
  interrupt(sessionId: string): Promise<void>;
  /** guard is "off", "static" or "reviewed"; if omitted, it does not change. */
  setPermissionMode(sessionId: string, mode: string, guard?: string): Promise<void>;
  setModel(sessionId: string, model: string): Promise<void>;
  setEffort(sessionId: string, effort: string): Promise<void>;
  /** Answers a request. Resolves to its outcome, by this answer or another one; rejects with a HostError. */
  respond(params: PermissionRespondParams): Promise<PermissionRespondResult>;
  /** Registers a composer that shows the session's draft until it is closed. Calling it again checks for updates. */
  openDraft(sessionId: string): void;
  leaveDraft(sessionId: string): void;
  /** Resolves the conflict between this draft and another window's. */
  chooseDraft(sessionId: string, which: "this" | "other"): void;
  setDraftText(sessionId: string, text: string): void;
  addAttachments(sessionId: string, attachments: DraftAttachment[], error: string): void;
  removeAttachment(sessionId: string, id: string): void;
  /** Removes sent content from the draft; later input stays. */
  spendDraft(sessionId: string, text: string, attachments: readonly DraftAttachment[]): void;
  setTheme(theme: Theme): void;
  /** Changes settings. Rejects with a HostError. */
  changeSettings(patch: SettingsPatch): Promise<void>;
  /** Reloads the program's info (after installing the CLI, for example). */
  refreshInfo(): Promise<void>;
  /** Shows a failure that belongs to no session. */
  report(failure: unknown): void;
  /** Leaves safe mode, which follows crashed pages. */
  leaveSafeMode(): Promise<void>;
  /** Dismisses the failure that belongs to no session. */
  dismissProblem(): void;
}
