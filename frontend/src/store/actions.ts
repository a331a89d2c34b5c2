// What a person can do. Every action calls the program and lets the events that
// follow change the state, except where there is nothing to wait for.

import type { PermissionRespondParams } from "../host/border.gen";
import type { DraftAttachment, Theme } from "./state";

export interface Actions {
  /** Shows a session (null: the start page) and reads its messages when they are not in memory. */
  open(sessionId: string | null): void;
  /** Reads the next older page of messages. */
  loadOlder(sessionId: string): Promise<void>;
  /** Reads the newest messages again (after a failure). */
  reload(sessionId: string): Promise<void>;
  /** Makes a session in a folder and opens it. Rejects with a HostError. */
  create(cwd: string): Promise<void>;
  /** Makes a rehearsal session and opens it. Rejects with a HostError. */
  rehearse(): Promise<void>;
  /** Sends the session's draft. The draft stays when that fails. */
  send(sessionId: string): Promise<void>;
  interrupt(sessionId: string): Promise<void>;
  closeSession(sessionId: string): Promise<void>;
  setPermissionMode(sessionId: string, mode: string): Promise<void>;
  setModel(sessionId: string, model: string): Promise<void>;
  setEffort(sessionId: string, effort: string): Promise<void>;
  /** Answers a question. Resolves to whether this answer was the first; rejects with a HostError. */
  respond(params: PermissionRespondParams): Promise<boolean>;
  setDraftText(sessionId: string, text: string): void;
  addAttachments(sessionId: string, attachments: DraftAttachment[], error: string): void;
  removeAttachment(sessionId: string, id: string): void;
  setTheme(theme: Theme): void;
  /** Asks the program again what it is (after installing the CLI, say). */
  refreshInfo(): Promise<void>;
  /** Puts away the failure that belongs to no session. */
  dismissProblem(): void;
}
