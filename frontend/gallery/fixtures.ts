// Made-up entities, complete, for tests and the gallery. Each call makes new
// ones: a store changes the objects that it was given.

import type { Block, Info, Message, OpenQuestion, Session, SessionEvent } from "../src/host/border.gen";

export function info(change: Partial<Info> = {}): Info {
  return structuredClone({
    version: "0.1.0",
    desktop: false,
    rehearsal: false,
    os: "linux",
    home: "/home/ada",
    dataDir: "/home/ada/.local/share/parley",
    cli: { found: true, path: "/usr/bin/claude", version: "2.1.329", source: "path", installCommand: "npm install -g @anthropic-ai/claude-code" },
    account: { found: true, source: "login" },
    settings: { theme: "system", cliPath: "", permissionMode: "", model: "", engine: "cli", questionTimeoutHours: 24 },
    recentFolders: ["/home/ada/projects/parley", "/home/ada/projects/engine", "/home/ada/notes"],
    ...change,
  });
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
    ...change,
  };
}

export function question(sessionId: string, requestId: string, change: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    sessionId,
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
