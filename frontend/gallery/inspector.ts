// Scenes of the panel beside the conversation: background tasks, changed files, and
// what is asked before something is undone or ended.

import type { ChangeList, FileDiff, OutsideChanges, Task, UndoPreview } from "../src/host/border.gen";
import { createFakeHost, type FakeHost, type Handlers } from "../src/host/fake";
import type { App } from "../src/store/context";
import { assistant, session, user } from "./fixtures";

const minute = 60_000;
const now = Date.now();
const folder = "/home/ada/projects/parley";

export const tasks: Task[] = [
  { taskId: "t1", toolUseId: "x1", type: "local_bash", description: "Run the upload tests", status: "completed", background: true, durationMs: 42_000, summary: "The command completed (exit code 0)." },
  { taskId: "t2", toolUseId: "x2", type: "local_agent", agentType: "Explore", description: "Find every caller of Send", status: "running", background: true, lastTool: "Grep", toolUses: 14, totalTokens: 48_200 },
  { taskId: "t3", toolUseId: "x3", type: "local_bash", description: "npm run dev", status: "running", background: true },
  { taskId: "t4", toolUseId: "x4", type: "local_bash", description: "Watch the build", status: "failed", background: true, durationMs: 3_000, error: "exit code 2" },
];

export const changes: ChangeList = {
  folder,
  more: false,
  undone: null,
  files: [
    changed("backend/upload/retry.go", { added: 64, removed: 12, edits: 4, turns: ["u1", "u2"] }),
    changed("backend/upload/retry_test.go", { created: true, added: 118, edits: 1, agent: true }),
    changed("docs/a-very-long-folder-name-that-does-not-fit/decisions/0042-repeat-lost-parts.md", { created: true, added: 30 }),
    changed("old.go", { gone: true, removed: 3 }),
    { ...changed("x", { added: 1, removed: 1 }), path: "/home/ada/.bashrc", name: "/home/ada/.bashrc", outside: true },
  ],
  turns: [
    { turnId: "u2", title: "Run the tests and put right what fails", at: now - 4 * minute, files: 1, later: 1, commands: 3, last: true },
    { turnId: "u1", title: "Make the upload repeat a part that was lost on the way", at: now - 20 * minute, files: 4, later: 5, commands: 0, last: false },
  ],
};

function changed(name: string, change: Partial<ChangeList["files"][number]>): ChangeList["files"][number] {
  return { path: `${folder}/${name}`, name, outside: false, created: false, gone: false, added: 0, removed: 0, edits: 1, agent: false, at: now - minute, turns: ["u1"], ...change };
}

const outside: OutsideChanges = {
  state: "ok",
  message: "",
  root: folder,
  more: false,
  files: [
    { path: `${folder}/go.sum`, name: "go.sum", kind: "modified", folder: false },
    { path: `${folder}/build/out`, name: "build/out", kind: "untracked", folder: true },
  ],
};

const before = "package upload\n\nfunc Send(part Part) error {\n\treturn post(part)\n}\n";
const after = "package upload\n\nfunc Send(part Part) error {\n\tfor range 5 {\n\t\tif err := post(part); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn errLost\n}\n";
export const diff: FileDiff = { path: `${folder}/backend/upload/retry.go`, before: { state: "text", text: before }, after: { state: "text", text: after } };

export const previews: UndoPreview[] = [
  preview("backend/upload/retry.go", { foreign: true }),
  preview("backend/upload/retry_test.go", { action: "delete" }),
  preview("docs/decisions.md", { exact: false }),
  preview("old.go", { action: "create" }),
  preview("/home/ada/.bashrc", { path: "/home/ada/.bashrc", action: "refused", reason: "It is outside the session's folder." }),
];

function preview(name: string, change: Partial<UndoPreview>): UndoPreview {
  return { path: `${folder}/${name}`, name, action: "restore", reason: "", stamp: `stamp of ${name}`, foreign: false, exact: true, ...change };
}

const tool = (id: string, name: string, input: Record<string, unknown>, startedAt: number) => ({
  id: `b-${id}`,
  type: "tool",
  tool: { toolUseId: id, name, input, state: "done", startedAt, durationMs: 90, content: [] },
});

const messages = [
  { ...user("u1", "Make the upload repeat a part that was lost on the way."), at: now - 20 * minute },
  assistant("a1", [
    tool("e1", "Edit", { file_path: `${folder}/backend/upload/retry.go`, old_string: "a", new_string: "b" }, now - 19 * minute),
    tool("x2", "Agent", { description: "Find every caller of Send", prompt: "Find them." }, now - 3 * minute),
    tool("x3", "Bash", { command: "npm run dev", run_in_background: true }, now - 2 * minute),
    { id: "b-a1", type: "text", text: "The upload repeats lost parts now. Two things go on in the background." },
  ], {
    at: now - 2 * minute,
    model: "claude-sonnet-4-5-20250929",
    result: { isError: false, costUSD: 0.16, durationMs: 84_000, numTurns: 6, usage: { inputTokens: 1000, outputTokens: 900, cacheReadTokens: 120_000, cacheCreationTokens: 8000 } },
  }),
];

/** What the panel asks for. */
export const inspectorHandlers: Handlers = {
  "task.list": () => ({ tasks }),
  "task.output": () => ({ text: "\u001b[32mready\u001b[0m in 812 ms\n\n  ➜  Local:   http://127.0.0.1:5173/\n", bytes: 61_000, cut: true }),
  "task.stop": () => ({}),
  "change.list": () => changes,
  "change.diff": () => diff,
  "change.preview": ({ turnId = "" }) => ({ turnId, files: previews, turns: 2, commands: 3, busy: false }),
  "change.undo": ({ files }) => ({ done: files.map((f) => f.path), refused: [] }),
  "change.redo": () => ({ done: ["backend/upload/retry.go"], refused: [] }),
  "change.outside": () => outside,
  "change.outsideDiff": () => diff,
};

interface Scene {
  host: FakeHost;
  open?: string;
  begin?: (app: App) => void;
}

/** The scenes; handlers answers what the rest of the page asks for. */
export function inspectorScenes(handlers: (change: Handlers) => Handlers): Record<string, () => Scene> {
  const mine = session("s1", { title: "Retry the upload when the link drops", cwd: folder, tasks: tasks.filter((task) => task.status === "running"), lastActivityAt: now });
  const host = (change: Handlers = {}) =>
    createFakeHost(
      handlers({
        "session.list": () => ({ sessions: [mine], total: 1 }),
        "permission.list": () => ({ requests: [] }),
        "session.get": () => mine,
        "session.history": () => ({ messages, total: messages.length, hasMore: false, before: "", seq: 0 }),
        ...inspectorHandlers,
        ...change,
      }),
    );
  const scene = (tab: string, change: Handlers = {}): Scene => ({ host: host(change), open: "s1", begin: ({ layout }) => layout.showInspector(tab) });
  return {
    tasks: () => scene("tasks"),
    files: () => scene("files"),
    "files-empty": () => scene("files", { "change.list": () => ({ ...changes, files: [], turns: [] }), "change.outside": () => ({ ...outside, state: "none", files: [] }) }),
    "files-undone": () => scene("files", { "change.list": () => ({ ...changes, undone: { at: now, turnId: "u2", files: ["backend/upload/retry.go", "old.go"] } }) }),
    archive: () => ({ host: host(), open: "s1", begin: ({ layout }) => layout.setOverlay({ kind: "archive", sessionId: "s1" }) }),
  };
}
