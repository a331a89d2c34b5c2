// The shape of the page's state. One copy of every entity, found by its id; the
// reducer (apply.ts) sets single paths in it. Views read it through useApp().

import type {
  Block,
  Info,
  Message,
  OpenQuestion,
  Retry,
  Session,
  SessionError,
} from "../host/border.gen";

export interface AppState {
  /** Null until the program has introduced itself. */
  info: Info | null;
  /** Whether the list of sessions has been read. */
  loaded: boolean;
  /** The session on the page, null for the start page. */
  current: string | null;
  sessions: Record<string, Session>;
  /** Open questions by requestId. */
  questions: Record<string, OpenQuestion>;
  /** Messages of the sessions that are in memory, by session id. */
  conversations: Record<string, Conversation>;
  /** What is being written, by session id. */
  drafts: Record<string, Draft>;
  theme: Theme;
  /** The last failure that belongs to no session. */
  problem: SessionError | null;
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
  /** What the CLI is doing between the things it says, null when there is nothing to say. */
  activity: Activity | null;
  hasMore: boolean;
  /** Cursor of the next older page. */
  before: string;
  loadingOlder: boolean;
}

export type MessageState = Omit<Message, "blocks"> & { blockIds: string[] };

export interface Activity {
  /** "requesting", "compacting", "retrying", "starting" or "notice". */
  status: string;
  message: string;
  retry: Retry | null;
  since: number;
}

export interface Draft {
  text: string;
  attachments: DraftAttachment[];
  /** Made at the first attempt to send, kept until the draft changes. */
  promptId: string;
  sending: boolean;
  /** Why it could not be sent or attached. */
  error: string;
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
    sessions: {},
    questions: {},
    conversations: {},
    drafts: {},
    theme: "system",
    problem: null,
  };
}

export function emptyDraft(): Draft {
  return { text: "", attachments: [], promptId: "", sending: false, error: "" };
}

/** Whether a turn of the session is under way. */
export function isBusy(session: Session): boolean {
  return ["starting", "running", "waiting", "interrupting", "compacting"].includes(session.state);
}

/** The session's open questions, oldest first. */
export function questionsOf(state: AppState, sessionId: string): OpenQuestion[] {
  return Object.values(state.questions)
    .filter((q) => q.sessionId === sessionId)
    .toSorted((a, b) => a.askedAt - b.askedAt);
}

/** The sessions as the sidebar lists them: those that wait for a person first, then by last activity. */
export function sortedSessions(state: AppState): Session[] {
  const waits = (s: Session) => (s.state === "waiting" || s.openQuestions > 0 ? 1 : 0);
  return Object.values(state.sessions).toSorted(
    (a, b) => waits(b) - waits(a) || b.lastActivityAt - a.lastActivityAt || a.id.localeCompare(b.id),
  );
}
