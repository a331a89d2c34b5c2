// The page in every state that it can be in. Each scene is a made-up host.

import { createFakeHost, type FakeHost, type Handlers } from "../src/host/fake";
import { HostError } from "../src/host/host";
import type { Message, OpenQuestion, Session } from "../src/host/border.gen";
import { assistant, info, question, session, user } from "./fixtures";

const minute = 60_000;
const now = Date.now();

export interface Scene {
  host: FakeHost;
  /** The session that is open. */
  open?: string;
}

const sessions: Session[] = [
  session("s1", {
    title: "Retry the upload when the link drops",
    state: "running",
    lastActivityAt: now - 20_000,
    context: {
      used: 86_400,
      window: 200_000,
      windowSource: "cli",
      percent: 43.2,
      level: "ok",
      inputTokens: 1200,
      cacheReadTokens: 79_000,
      cacheCreationTokens: 4800,
      outputTokens: 1400,
    },
    totalCostUSD: 0.4213,
  }),
  session("s2", {
    title: "Why is the nightly build slow?",
    cwd: "/home/ada/projects/engine",
    state: "waiting",
    openQuestions: 1,
    lastActivityAt: now - 4 * minute,
  }),
  session("s3", { title: "Sort the reading notes by topic", cwd: "/home/ada/notes", lastActivityAt: now - 190 * minute }),
  session("s4", {
    title: "Port the settings page",
    state: "failed",
    lastActivityAt: now - 1600 * minute,
    error: {
      code: "cli_exited",
      message: "Claude Code ended unexpectedly.",
      hint: "Send the next prompt to start it again; the conversation is kept.",
      detail: "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    },
  }),
  session("s5", { title: "", cwd: "/home/ada/projects/engine", lastActivityAt: now - 5000 * minute }),
];

const conversation: Message[] = [
  user("u1", "The upload fails for good when the connection drops for a moment. Make it retry."),
  assistant("a1", [
    { id: "b1", type: "thinking", text: "The upload is one request in upload.go. A retry must not send a part twice.", tokens: 24 },
    { id: "b2", type: "text", text: "I will look at how the upload is done now, and what the server promises about repeated parts." },
    {
      id: "b3",
      type: "tool",
      tool: {
        toolUseId: "t1",
        name: "Read",
        input: { file_path: "/home/ada/projects/parley/upload.go" },
        state: "done",
        startedAt: now - 3 * minute,
        durationMs: 12,
        content: [{ type: "text", text: "package upload\n\nfunc Send(ctx context.Context, p Part) error {\n\treturn post(ctx, p)\n}" }],
      },
    },
    {
      id: "b4",
      type: "tool",
      tool: {
        toolUseId: "t2",
        name: "Bash",
        input: { command: "go test ./upload/...", description: "Run the upload tests" },
        state: "pending",
        startedAt: now - 14_000,
      },
    },
  ]),
];

const tree: Record<string, string[]> = {
  "/home/ada": ["documents", "downloads", "music", "notes", "pictures", "projects"],
  "/home/ada/projects": ["atlas", "engine", "parley", "weather-station", "website"],
  "/home/ada/projects/parley": ["app", "backend", "build", "frontend"],
};

function handlers(change: Handlers = {}, open: OpenQuestion[] = [question("s2", "q2")]): Handlers {
  return {
    "app.info": () => info(),
    "session.list": () => ({ sessions, total: sessions.length }),
    "permission.list": () => ({ requests: open }),
    "session.history": () => ({ messages: conversation, total: 2, hasMore: false, before: "", seq: 0 }),
    "session.get": ({ sessionId }) => sessions.find((s) => s.id === sessionId) ?? session(sessionId),
    "session.create": ({ cwd }) => session("new", { cwd, lastActivityAt: now }),
    "session.prompt": () => ({ turnId: "turn" }),
    "session.interrupt": () => ({}),
    "session.setPermissionMode": () => ({}),
    "permission.respond": () => ({ won: true }),
    "settings.set": () => info().settings,
    "rehearsal.begin": () => session("new", { rehearsal: true, lastActivityAt: now }),
    "folder.list": ({ path = "/home/ada" }) => {
      const names = tree[path];
      if (!names) throw new HostError("not_found", `There is no folder ${path}.`);
      return {
        path,
        parent: path === "/" ? "" : path.slice(0, path.lastIndexOf("/")) || "/",
        entries: names.map((name) => ({ name, path: `${path}/${name}`, git: path.endsWith("projects") })),
        truncated: false,
      };
    },
    ...change,
  };
}

const noCLI = {
  found: false,
  path: "",
  version: "",
  source: "",
  code: "cli_missing",
  message: "No Claude Code CLI was found on this computer.",
  hint: "Parley can install it, or you can do it yourself in a terminal:",
  installCommand: "npm install -g @anthropic-ai/claude-code",
};

const fresh: Handlers = {
  "session.list": () => ({ sessions: [], total: 0 }),
  "permission.list": () => ({ requests: [] }),
};

export const scenes: Record<string, () => Scene> = {
  chat: () => ({ host: createFakeHost(handlers()), open: "s1" }),
  question: () => ({ host: createFakeHost(handlers()), open: "s2" }),
  failed: () => ({ host: createFakeHost(handlers()), open: "s4" }),
  empty: () => ({
    host: createFakeHost(handlers({ "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }) })),
    open: "s5",
  }),
  start: () => ({ host: createFakeHost(handlers()) }),
  fresh: () => ({ host: createFakeHost(handlers({ ...fresh, "app.info": () => info({ recentFolders: [] }) })) }),
  nocli: () => ({
    host: createFakeHost(
      handlers({
        ...fresh,
        "app.info": () => info({ cli: noCLI, account: { found: false, source: "" } }),
        "cli.install": () => new Promise(() => {}),
      }),
    ),
  }),
  noaccount: () => ({
    host: createFakeHost(
      handlers({
        ...fresh,
        "app.info": () =>
          info({ account: { found: false, source: "", hint: "Run claude in a terminal and log in, or set ANTHROPIC_API_KEY." } }),
      }),
    ),
  }),
  offline: () => {
    const host = createFakeHost(handlers());
    setTimeout(() => host.setStatus({ kind: "closed", reason: "", retryAt: Date.now() + 8000 }), 300);
    return { host, open: "s1" };
  },
  unauthorized: () => {
    const host = createFakeHost();
    host.setStatus({ kind: "unauthorized" });
    return { host };
  },
};
