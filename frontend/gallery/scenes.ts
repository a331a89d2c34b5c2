// The page in every state that it can be in. Each scene is a made-up host.

import { createFakeHost, type Handlers } from "../src/host/fake";
import { HostError } from "../src/host/host";
import type { Message, OpenQuestion, Session } from "../src/host/border.gen";
import { chatScenes } from "./chat";
import { composeHandlers, waiting } from "./compose";
import { dialogHandlers, dialogScenes } from "./dialogs";
import { assistant, info, library, question, session, user, workspace } from "./fixtures";
import { heartbeatScenes } from "./heartbeats";
import { memoryHandlers, memoryScenes } from "./memory";
import { roomHandlers, roomScenes } from "./rooms";
import { inspectorHandlers, inspectorScenes } from "./inspector";
import { type PaneScene, paneScenes } from "./panes";
import { permissionScenes } from "./permissions";
import { sessionHandlers } from "./sessions";
import { tourScenes } from "./tour";
import { brokenUsage, noUsage, usageHandlers, withBudgets } from "./usage";

const minute = 60_000;
const now = Date.now();

/** A made-up host, the session that is open, and what happens then. */
export type Scene = PaneScene;

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
      message: "Claude Code stopped unexpectedly (exit code 1).",
      hint: "Send the next prompt to start it again; the conversation is kept.",
      detail: "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    },
  }),
  session("s5", { title: "", cwd: "/home/ada/projects/engine", lastActivityAt: now - 5000 * minute }),
];

const workspaces = [
  workspace("w1", "/home/ada/projects/parley", { branch: "main" }),
  workspace("w2", "/home/ada/projects/engine", { branch: "nightly-build" }),
  workspace("w3", "/home/ada/notes"),
];
for (const s of sessions) s.workspaceId = workspaces.find((w) => w.path === s.cwd)?.id ?? "";

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
    "workspace.list": () => ({ workspaces }),
    "library.status": () => library({ onDisk: 7, shown: 5, hidden: { empty: 2 } }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    ...composeHandlers,
    ...usageHandlers,
    ...inspectorHandlers,
    ...memoryHandlers(),
    ...roomHandlers(),
    ...dialogHandlers,
    "session.history": () => ({ messages: conversation, total: 2, hasMore: false, before: "", seq: 0 }),
    "session.get": ({ sessionId }) => sessions.find((s) => s.id === sessionId) ?? session(sessionId),
    "session.create": ({ cwd }) => session("new", { cwd, lastActivityAt: now }),
    "session.prompt": () => ({ turnId: "turn" }),
    "session.interrupt": () => ({}),
    "session.setPermissionMode": () => ({}),
    "permission.respond": () => ({ won: true, outcome: "allow", by: "window", at: 0, rules: [] }),
    "settings.set": () => info().settings,
    "demo.tour": () => ({ steps: [], next: "" }),
    "demo.start": () => session("new", { rehearsal: true, lastActivityAt: now }),
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

/** The first session in another state. */
function first(change: Partial<Session>): Handlers {
  const changed = sessions.map((s) => (s.id === "s1" ? { ...s, ...change } : s));
  return { "session.list": () => ({ sessions: changed, total: changed.length }) };
}

export const scenes: Record<string, () => Scene> = {
  ...paneScenes(handlers),
  ...inspectorScenes(handlers),
  ...dialogScenes(handlers, sessions),
  ...tourScenes(handlers, sessions),
  ...permissionScenes(handlers),
  ...heartbeatScenes(handlers),
  ...memoryScenes(handlers),
  ...roomScenes(handlers),
  ...chatScenes(handlers, sessions),
  usage: () => ({
    host: createFakeHost(handlers({ "app.info": () => info({ settings: { ...info().settings, ...withBudgets } }) })),
    open: "s1",
    begin: (app) => app.layout.go({ kind: "usage" }),
  }),
  usageEmpty: () => ({ host: createFakeHost(handlers(noUsage)), begin: (app) => app.layout.go({ kind: "usage" }) }),
  usageFailed: () => ({ host: createFakeHost(handlers(brokenUsage)), begin: (app) => app.layout.go({ kind: "usage" }) }),
  chat: () => ({ host: createFakeHost(handlers()), open: "s1" }),
  queue: () => ({ host: createFakeHost(handlers(first({ queued: waiting("sent", "queued", "queued") }))), open: "s1" }),
  held: () => ({ host: createFakeHost(handlers(first({ state: "idle", interrupted: true, queued: waiting("held", "held") }))), open: "s1" }),
  question: () => ({ host: createFakeHost(handlers()), open: "s2" }),
  failed: () => ({ host: createFakeHost(handlers()), open: "s4" }),
  empty: () => ({
    host: createFakeHost(handlers({ "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }) })),
    open: "s5",
  }),
  start: () => ({ host: createFakeHost(handlers()) }),
  sessions: () => ({ host: createFakeHost(handlers(sessionHandlers(5000, now), [question("n1", "q1")])), open: "n0" }),
  indexing: () => {
    const many = sessionHandlers(300, now);
    const busy = { busy: true, files: 2143, filesDone: 450, bytes: 2_100_000_000, bytesDone: 640_000_000, problem: "" };
    return {
      host: createFakeHost(handlers({ ...many, "library.status": () => library({ onDisk: 2143, shown: 2087, search: busy }) }, [])),
    };
  },
  loading: () => ({ host: createFakeHost(handlers({ "session.list": () => new Promise(() => {}) })) }),
  unread: () => ({
    host: createFakeHost(
      handlers({
        "session.list": () => {
          throw new HostError("internal", "Something went wrong inside Parley.");
        },
      }),
    ),
  }),
  cutoff: () => {
    const many = sessionHandlers(500, now);
    const fail = () => new HostError("internal", "Something went wrong inside Parley.");
    return {
      host: createFakeHost(
        handlers({
          ...many,
          "session.list": (params) => {
            const read = many["session.list"];
            if (!read || (params.offset ?? 0) > 0) throw fail();
            return read(params);
          },
          "workspace.list": () => {
            throw fail();
          },
        }),
      ),
    };
  },
  fresh: () => ({ host: createFakeHost(handlers({ ...fresh, "app.info": () => info({ recentFolders: [] }) })) }),
  nocli: () => ({
    host: createFakeHost(
      handlers({
        ...fresh,
        "app.info": () => info({ cli: noCLI, account: { found: false, source: "" } }),
        "cli.install": () => new Promise(() => {}),
        "cli.installing": () => ({ running: true, seconds: 12, step: "fetch GET 200 https://packages.example/claude-code" }),
      }),
    ),
  }),
  noaccount: () => ({
    host: createFakeHost(
      handlers({
        ...fresh,
        "app.info": () =>
          info({ account: { found: false, source: "", hint: "Sign in from Parley's window, or set ANTHROPIC_API_KEY." } }),
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
