// Made-up entities, complete, for tests and the gallery. Each call makes new
// ones: a store changes the objects that it was given.

import type { AppProblem, Block, Info, Library, Message, OpenQuestion, ProblemID, Session, SessionEvent, Workspace } from "../src/host/border.gen";

export function info(change: Partial<Info> = {}): Info {
  return structuredClone({
    version: "0.1.0",
    desktop: false,
    safeMode: false,
    rehearsal: false,
    os: "linux",
    home: "/home/ada",
    dataDir: "/home/ada/.local/share/parley",
    cli: { found: true, path: "/usr/bin/claude", version: "2.1.329", source: "path", installCommand: "npm install -g @anthropic-ai/claude-code" },
    account: { found: true, source: "login" },
    settings: { theme: "system", cliPath: "", permissionMode: "", model: "", engine: "cli", questionTimeoutHours: 24, suspendMinutes: 30, browserPort: 0, suggestions: false, whileBusy: "steer",
      language: "en", scheme: "parley", accent: "", font: "", codeFont: "", fontSize: 13, codeFontSize: 13, density: "comfortable", zoom: 100, menuBar: false,
      notifyDone: true, notifyAfterSeconds: 20, notifyQuestion: true, notifyFailure: true, shortcuts: {},
      editor: "", budgetDayUSD: 0, budgetMonthUSD: 0, budgetDayTokens: 0, budgetMonthTokens: 0, guard: "off", reviewerModel: "", allowUnrecorded: false,
      startAtLogin: false, showTray: true, closeToTray: true, closeWhileWorking: "ask", doNotDisturbUntil: 0, toolsOff: [],
      memoryInject: true, memoryBudgetTokens: 2000,
      roomNick: "", roomHours: 24, roomWake: "mention", roomTurnsPerHour: 60, roomMaxHops: 30, natsUrl: "", natsCredentials: "" },
    problems: [],
    restart: { possible: true, waiting: false, at: 0, before: "", working: 0 },
    recentFolders: ["/home/ada/projects/parley", "/home/ada/projects/engine", "/home/ada/notes"],
    ...change,
  });
}

export function problem(id: ProblemID, change: Partial<AppProblem> = {}): AppProblem {
  return { id, severity: "warning", since: 1_764_000_000_000, title: "Something is wrong.", todo: "Do something.", facts: {}, action: "", ...change };
}

export function session(id: string, change: Partial<Session> = {}): Session {
  return {
    id,
    cwd: "/home/ada/projects/parley",
    title: "",
    state: "idle",
    engine: "cli",
    model: "claude-sonnet-4-5-20250929",
    permissionMode: "default",
    effort: "",
    cliSessionId: "",
    createdAt: 1_700_000_000_000,
    lastActivityAt: 1_700_000_000_000,
    rehearsal: false,
    pid: 0,
    queued: [],
    openQuestions: 0,
    context: null,
    totalCostUSD: 0,
    tasks: [],
    lastSeq: 0,
    error: null,
    origin: "parley",
    workspaceId: "",
    profile: "",
    titleSource: "",
    pinned: false,
    unread: false,
    archivedAt: 0,
    deletedAt: 0,
    interrupted: false,
    hasDraft: false,
    trouble: "",
    messages: -1,
    bytes: 0,
    forkedFrom: null,
    previousCliSessionIds: [],
    guard: "",
    heartbeat: "",
    quiet: false,
    spawnedBy: "",
    ...change,
  };
}

export function workspace(id: string, path: string, change: Partial<Workspace> = {}): Workspace {
  return {
    id,
    path,
    name: "",
    title: path.slice(path.lastIndexOf("/") + 1),
    pinned: false,
    general: false,
    createdAt: 1_700_000_000_000,
    lastUsedAt: 1_700_000_000_000,
    deletedAt: 0,
    folder: "here",
    branch: "",
    worktree: false,
    sessions: 0,
    archived: 0,
    defaults: { model: "", effort: "", permissionMode: "", engine: "", profile: "" },
    ...change,
  };
}

export function library(change: Partial<Library> = {}): Library {
  const done = { busy: false, files: 0, filesDone: 0, bytes: 0, bytesDone: 0, problem: "" };
  return { onDisk: 0, shown: 0, hidden: {}, scanning: false, counting: done, search: { ...done }, ...change };
}

export function question(sessionId: string, requestId: string, change: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    sessionId,
    sessionTitle: "",
    requestId,
    toolName: "Bash",
    input: { command: "go test ./...", description: "Run the tests" },
    kind: "tool",
    askedAt: 1_700_000_000_000,
    expiresAt: 1_700_086_400_000,
    cwd: "/home/ada/projects/parley",
    ...change,
  };
}

export function user(id: string, text: string): Message {
  return { id, role: "user", at: 1_700_000_000_000, blocks: [{ id: `${id}:0`, type: "text", text }] };
}

export function assistant(id: string, blocks: Block[], change: Partial<Message> = {}): Message {
  return { id, role: "assistant", at: 1_700_000_000_000, blocks, ...change };
}

type EventOf<N extends SessionEvent["event"]> = Extract<SessionEvent, { event: N }>;

/** An event of a session; what the payload needs beside its head comes last. */
export function event<N extends SessionEvent["event"]>(
  name: N,
  sessionId: string,
  seq: number,
  payload: Omit<EventOf<N>["payload"], "sessionId" | "seq" | "at"> & { at?: number },
): EventOf<N> {
  const full: unknown = { event: name, payload: { sessionId, seq, at: 1_700_000_000_000 + seq, ...payload } };
  return full as EventOf<N>;
}
