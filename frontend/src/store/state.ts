// The shape of the page's state. Every entity exists once, keyed by id; the reducer (apply.ts) updates single paths in
// it. Views read it through useApp().

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
  /** Null until the program has sent it. */
  info: Info | null;
  /** Whether the newest sessions of the list are loaded: there is something to show. */
  loaded: boolean;
  /** The focused session, null for the start page. */
  current: string | null;
  /** The visible sessions, side by side. */
  shown: readonly string[];
  /** The records in memory. The listing has their lists and positions. */
  sessions: Record<string, Session>;
  /** How far each list of sessions is loaded. */
  lists: Record<Place, ListState>;
  /** The user's folders, by id, and their order. */
  workspaces: Record<string, Workspace>;
  workspaceOrder: string[];
  /** Why they could not be loaded, "" for none. */
  workspacesError: string;
  /** The state of the conversations on disk, null until the program has sent it. */
  library: Library | null;
  /** The state of Mattermost, null until the program has sent it. */
  chat: ChatState | null;
  /** The last removed item, while it can be restored with one click. */
  undo: Undo | null;
  /** Pending requests by requestId. */
  questions: Record<string, OpenQuestion>;
  /** Messages in memory, by session id. */
  conversations: Record<string, Conversation>;
  /** The user's jumps, by session id, until they return to the newest messages. */
  jumps: Record<string, Jump>;
  /** Drafts by session id. */
  drafts: Record<string, Draft>;
  theme: Theme;
  /** The last failure that belongs to no session. */
  problem: SessionError | null;
}

/** The list itself, the archive, and the trash. */
export type Place = "list" | "archive" | "trash";

interface ListState {
  /** "none" until requested; "reading" while pages are missing. */
  load: "none" | "reading" | "ready" | "failed";
  /** The number of sessions in it, including those not loaded yet. */
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

/** The messages of one session in memory. */
export interface Conversation {
  load: "loading" | "ready" | "failed";
  /** Why loading failed. */
  error: string;
  /** Main-thread messages, oldest first. */
  order: string[];
  /** A subagent's messages, by the tool call that started it. */
  nested: Record<string, string[]>;
  messages: Record<string, MessageState>;
  blocks: Record<string, Block>;
  /** The block of each tool call, by toolUseId. */
  toolBlocks: Record<string, string>;
  /** Answers that arrived before their tool call, by toolUseId. */
  early: Record<string, Extract<SessionEvent, { event: "permission_resolved" }>>;
  /** What the CLI is doing between messages, null for nothing to show. */
  activity: Activity | null;
  hasMore: boolean;
  /** Cursor of the next older page. */
  before: string;
  loadingOlder: boolean;
  /** The approximate size in characters, without additions since loading. */
  weight: number;
}

/** A jump to a message. */
export interface Jump {
  /** "" until it is known. */
  messageId: string;
  busy: boolean;
  /** Why it could not be shown. */
  error: string;
  /** The messages up to it; null if it is in the conversation in memory. */
  page: Conversation | null;
  /** Distinguishes one jump from the next. */
  serial: number;
  /** Whether the user only returns to their position: nothing is announced or highlighted. */
  quiet?: boolean;
}

export type MessageState = Omit<Message, "blocks"> & { blockIds: string[] };

export interface Activity {
  /** "requesting", "compacting", "retrying", "starting" or "notice". */
  status: string;
  message: string;
  retry: Retry | null;
  /** When the usage limit in the message resets (Unix ms), 0 for none. */
  resetsAt: number;
  since: number;
}

export interface Draft {
  text: string;
  attachments: DraftAttachment[];
  /** Created at the first attempt to send, kept until the draft changes. */
  promptId: string;
  sending: boolean;
  /** Why it could not be sent, attached or saved. */
  error: string;
  /** Another window's draft of the same session, until the user chooses one. */
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

/** What the CLI is doing. A page opened later gets a pending API retry from the record. */
export function activityOf(conversation: Conversation | undefined, session: Session | undefined): Activity | null {
  if (conversation?.activity || !session?.retry) return conversation?.activity ?? null;
  const { retry } = session;
  return { status: "retrying", message: "", retry, resetsAt: 0, since: retry.until - retry.delayMs };
}

/** Whether a turn of the session is running. */
export function isBusy(session: Session): boolean {
  return ["starting", "running", "waiting", "interrupting", "compacting"].includes(session.state);
}

/** The session's pending requests, oldest first. */
export function questionsOf(state: AppState, sessionId: string): OpenQuestion[] {
  return allQuestions(state).filter((q) => q.sessionId === sessionId);
}

/** The pending requests of all sessions, oldest first, without those that rules or auto-approve answer. */
export function allQuestions(state: AppState): OpenQuestion[] {
  return Object.values(state.questions)
    .filter((q) => !q.decided)
    .toSorted((a, b) => a.askedAt - b.askedAt);
}
