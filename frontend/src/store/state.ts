// The shape of the page's state. One copy of every entity, found by its id; the
// reducer (apply.ts) sets single paths in it. Views read it through useApp().

import type {
  Block,
  ChatState,
  Info,
  Library,
  Message,
  OpenQuestion,
  Retry,
  Session,
  SessionEvent,
  SessionError,
  Workspace,
} from "../host/border.gen";

export interface AppState {
  /** Null until the program has introduced itself. */
  info: Info | null;
  /** Whether the newest sessions of the list have been read: there is something to show. */
  loaded: boolean;
  /** The session that has the user's attention, null for the start page. */
  current: string | null;
  /** The sessions that stand on the page side by side. */
  shown: readonly string[];
  /** The records that are in memory. What stands in which list, and where, says the listing. */
  sessions: Record<string, Session>;
  /** How far each list of sessions has been read. */
  lists: Record<Place, ListState>;
  /** The folders that a user works in, by id, and their order. */
  workspaces: Record<string, Workspace>;
  workspaceOrder: string[];
  /** Why they could not be read, "" when they could. */
  workspacesError: string;
  /** What is known of the conversations on disk, null until the program has said so. */
  library: Library | null;
  /** How it is with the team chat, null until the program has said so. */
  chat: ChatState | null;
  /** What was put away last and can be brought back by one click. */
  undo: Undo | null;
  /** Open questions by requestId. */
  questions: Record<string, OpenQuestion>;
  /** Messages of the sessions that are in memory, by session id. */
  conversations: Record<string, Conversation>;
  /** The places that a user went to, by session id, until they go back to the newest. */
  jumps: Record<string, Jump>;
  /** What is being written, by session id. */
  drafts: Record<string, Draft>;
  theme: Theme;
  /** The last failure that belongs to no session. */
  problem: SessionError | null;
}

/** The list itself, what was put away, and what was deleted. */
export type Place = "list" | "archive" | "trash";

interface ListState {
  /** "none" until somebody asked for it; "reading" while pages are still to come. */
  load: "none" | "reading" | "ready" | "failed";
  /** How many sessions it has, those that were not read yet included. */
  total: number;
  error: string;
}

export interface Undo {
  kind: "archive" | "delete" | "workspace";
  /** The session's or the workspace's. */
  id: string;
  title: string;
}

export type Theme = "system" | "light" | "dark";

/** The messages of one session that are in memory. */
export interface Conversation {
  load: "loading" | "ready" | "failed";
  /** Why loading failed. */
  error: string;
  /** Main-thread messages, oldest first. */
  order: string[];
  /** What a subagent said, by the tool use that started it. */
  nested: Record<string, string[]>;
  messages: Record<string, MessageState>;
  blocks: Record<string, Block>;
  /** The block that shows a tool use, by toolUseId. */
  toolBlocks: Record<string, string>;
  /** Answers that came before the tool use they are about, by toolUseId. */
  early: Record<string, Extract<SessionEvent, { event: "permission_resolved" }>>;
  /** What the CLI is doing between the things it says, null when there is nothing to say. */
  activity: Activity | null;
  hasMore: boolean;
  /** Cursor of the next older page. */
  before: string;
  loadingOlder: boolean;
  /** About how many characters it holds, without what came since it was read. */
  weight: number;
}

/** A message that a user went to. */
export interface Jump {
  /** "" while nobody knows which it is. */
  messageId: string;
  busy: boolean;
  /** Why it could not be shown. */
  error: string;
  /** The messages up to it; null when it is in the conversation that is in memory. */
  page: Conversation | null;
  /** Tells one jump from the next. */
  serial: number;
  /** The user only comes back to where they were: nothing is said of it, nothing marked. */
  quiet?: boolean;
}

export type MessageState = Omit<Message, "blocks"> & { blockIds: string[] };

export interface Activity {
  /** "requesting", "compacting", "retrying", "starting" or "notice". */
  status: string;
  message: string;
  retry: Retry | null;
  /** When the allowance that the message is about is renewed (Unix ms), 0 for none. */
  resetsAt: number;
  since: number;
}

export interface Draft {
  text: string;
  attachments: DraftAttachment[];
  /** Made at the first attempt to send, kept until the draft changes. */
  promptId: string;
  sending: boolean;
  /** Why it could not be sent, attached or saved. */
  error: string;
  /** Another window's draft of the same session, until a user chooses one. */
  other: { text: string; attachments: DraftAttachment[]; updatedAt: number } | null;
}

export interface DraftAttachment {
  id: string;
  name: string;
  mediaType: string;
  bytes: number;
  /** Base64. */
  data: string;
}

export function initialState(): AppState {
  return {
    info: null,
    loaded: false,
    current: null,
    shown: [],
    sessions: {},
    lists: { list: unread(), archive: unread(), trash: unread() },
    workspaces: {},
    workspaceOrder: [],
    workspacesError: "",
    library: null,
    chat: null,
    undo: null,
    questions: {},
    conversations: {},
    jumps: {},
    drafts: {},
    theme: "system",
    problem: null,
  };
}

const unread = (): ListState => ({ load: "none", total: 0, error: "" });

export function emptyDraft(): Draft {
  return { text: "", attachments: [], promptId: "", sending: false, error: "", other: null };
}

/** What the CLI is doing. A page that was opened later has it from the record when that waits to ask the API again. */
export function activityOf(conversation: Conversation | undefined, session: Session | undefined): Activity | null {
  if (conversation?.activity || !session?.retry) return conversation?.activity ?? null;
  const { retry } = session;
  return { status: "retrying", message: "", retry, resetsAt: 0, since: retry.until - retry.delayMs };
}

/** Whether a turn of the session is under way. */
export function isBusy(session: Session): boolean {
  return ["starting", "running", "waiting", "interrupting", "compacting"].includes(session.state);
}

/** The session's questions that wait for a user, oldest first. */
export function questionsOf(state: AppState, sessionId: string): OpenQuestion[] {
  return allQuestions(state).filter((q) => q.sessionId === sessionId);
}

/** The questions of all sessions that wait for a user, oldest first: none that rules or the guard answer by themselves. */
export function allQuestions(state: AppState): OpenQuestion[] {
  return Object.values(state.questions)
    .filter((q) => !q.decided)
    .toSorted((a, b) => a.askedAt - b.askedAt);
}
