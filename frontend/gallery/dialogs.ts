// Scenes of what opens over the page, and of the questions that a session asks.

import type { FindHit, Info, OpenQuestion, Session, Settings, Snapshot, Todo, WindowClosing } from "../src/host/border.gen";
import { createFakeHost, type Handlers } from "../src/host/fake";
import { pageIds } from "../src/features/settings/registry";
import { choiceInput, openQuestion, plan, suggestions } from "../src/features/approval/gallery";
import { info, problem } from "./fixtures";
import type { PaneScene } from "./panes";
import { click, opens, press, type, when } from "./press";
import { toolSets } from "./toolsets";
import { halfway, tourHandlers } from "./tour";

const minute = 60_000;
const now = Date.now();
const folder = "/home/ada/projects/parley";

const wrong = [
  problem("notes_rebuilt", { action: "settings", facts: { kept: "12", filled: "3", file: "/home/ada/.local/share/parley/parley.db.damaged-20261124" } }),
  problem("disk_low", { facts: { free: "48 MB", folders: "/home/ada/.local/share/parley" } }),
];
const full = problem("disk_full", { severity: "error", facts: { what: "audit,notes,conversations", folders: "/home/ada/.local/share/parley, /home/ada/.claude" } });

const todos: Todo[] = [
  todo("1", "Read how the upload is done now", "completed"),
  todo("2", "Repeat a part that was lost", "in_progress", { doing: "Repeating a part that was lost" }),
  todo("3", "Write a test with a server that drops every third request", "pending", { blockedBy: ["2"] }),
  todo("4", "Note the change in the log of changes", "pending", { owner: "scribe" }),
];

function todo(id: string, subject: string, state: string, change: Partial<Todo> = {}): Todo {
  return { id, subject, doing: "", about: "", state, owner: "", blockedBy: [], ...change };
}

const hit = (messageId: string, snippet: string, count: number): FindHit => ({
  messageId, parentToolUseId: "", blockId: "", kind: "answer", tool: "", at: now, count, snippet,
  marks: [{ start: snippet.indexOf("upload"), end: snippet.indexOf("upload") + 6 }],
});

/** Opens the menu of a button by the keyboard. */
function openMenu(button: string, then?: () => void): void {
  when(button, (trigger) => {
    trigger.focus();
    press("Enter");
    if (then) when("[data-component=menu] [data-highlighted]", then);
  });
}

/** The menu beside "Allow". */
const openMore = (then?: () => void) => openMenu('[data-component="question"] [aria-haspopup]', then);

/** The form of a rule, from the last but one of that menu. */
const openRule = () =>
  openMore(() => {
    press("End");
    requestAnimationFrame(() => {
      press("ArrowUp");
      requestAnimationFrame(() => press("Enter"));
    });
  });

const log = (seq: number, level: string, message: string, rest = "") => ({ seq, at: now - (9 - seq) * minute, level, message, rest });

const snapshot = (hours: number, more: Partial<Snapshot> = {}): Snapshot => ({
  name: `${hours}`, at: now - hours * 60 * minute, version: "0.1.0", bytes: 412_000, counts: { sessions: 30, rules: 4, drafts: 2, prompts: 0 },
  files: ["settings.json", "heartbeats.yaml"], left: [], problem: "", ...more,
});

/** What the settings and the dialogs ask for. */
export const dialogHandlers: Handlers = {
  "settings.defaults": () => info().settings,
  "way.list": () => ({ ways: [{ id: "w", kind: "webhook", url: "https://hooks.example.org/parley", template: "", events: ["question", "failed"], folder: "", quietFrom: "22:00", quietTo: "07:00", away: true, secret: true, waiting: 0, lost: 2, sentAt: 0, problem: "hooks.example.org answered with status 410. It accepts no more notifications. Send a test to start again, or remove the address.", stopped: true }] }),
  "device.list": () => ({
    devices: [
      { id: "a", name: "My phone", role: "answer", createdAt: now, usedAt: now, current: false },
      { id: "b", name: "Laptop in the office", role: "all", createdAt: now, usedAt: now, current: true },
    ],
    url: "http://127.0.0.1:7717/", problem: "",
  }),
  "app.checkup": () => ({
    well: false, report: "",
    checks: [
      { id: "data.modes", meaning: "Only you may read Parley’s data.", state: "wrong", says: "Others may read 2 files in ~/.local/share/parley.", todo: "Take the right to read them away.", repairable: true },
      { id: "disk.data", meaning: "There is room for Parley’s data.", state: "warning", says: "400 MB are left.", todo: "Make room on this disk." },
      { id: "cli.found", meaning: "The CLI can be started.", state: "ok", says: "2.1.329 in ~/.local/bin/claude." },
    ],
  }),
  "snapshot.list": () => ({ snapshots: [snapshot(1), snapshot(26, { problem: "its copy of the store cannot be read" })], problem: "", restarts: true }),
  "toolset.list": () => ({ sets: toolSets() }),
  "style.get": () => ({ path: "/home/ada/.local/share/parley/style.css", found: false, tooLarge: false, held: false, css: "" }),
  "app.diagnostics": () => ({ text: "Parley 0.1.0 on linux\nClaude Code 2.1.329" }),
  "log.list": () => ({
    last: 5,
    dropped: 0,
    records: [
      log(1, "INFO", "Gateway is listening", "address=127.0.0.1:41807"),
      log(2, "INFO", "Session started", "session=s1 engine=cli pid=4711"),
      log(3, "WARN", "CLI is retrying a request", "session=s1 attempt=2 status=529"),
      log(4, "ERROR", "Couldn't watch a folder", "path=/home/ada/old error=\"no such file or directory\""),
      log(5, "INFO", "Permission request answered", "request=q2 outcome=allow"),
    ],
  }),
  "editor.list": () => ({ editors: [{ id: "code", name: "Visual Studio Code", path: "/usr/bin/code" }, { id: "zed", name: "Zed", path: "/usr/bin/zed" }] }),
  "trust.list": () => ({ folders: [{ folder, hash: "a1", choice: "trusted", at: now - 4000 * minute, by: "window" }] }),
  "autoApprove.stats": () => ({ passed: 41, reviewed: 6, refused: 2, failed: 0, recent: [] }),
  "rule.preview": () => ({ rules: [], also: [] }),
  "session.find": () => ({ hits: [hit("a1", "I will look at how the upload is done now", 1), hit("u1", "The upload fails for good", 1)], places: 2, messages: 2, total: 2, before: "" }),
  "todo.list": () => ({ todos: [], unread: 0 }),
  "audit.list": () => ({ records: [], next: 0 }),
  "file.find": () => ({
    scanning: false,
    truncated: false,
    files: ["backend/upload/retry.go", "backend/upload/retry_test.go", "backend/upload/upload.go", "docs/uploads.md"].map((path) => ({ path, folder: false })),
  }),
};

/** The scenes, over what a host answers otherwise. */
export function dialogScenes(handlers: (change?: Handlers, open?: OpenQuestion[]) => Handlers, sessions: readonly Session[]): Record<string, () => PaneScene> {
  const chat = (begin: () => void, change: Handlers = {}): PaneScene => ({ host: createFakeHost(handlers(change, [])), open: "s1", begin });
  const asked = (change: Partial<OpenQuestion>, begin: () => void = () => {}): PaneScene => {
    const waits = tourHandlers({ state: "waiting", openQuestions: 1 }, sessions, halfway);
    return {
      host: createFakeHost(handlers(waits, [openQuestion("q1", { ...change, sessionId: "s1" })])),
      open: "s1",
      begin,
    };
  };
  const closing = (question: Partial<WindowClosing>): PaneScene => {
    const host = createFakeHost(handlers({ "window.answer": () => ({}) }, []));
    const payload: WindowClosing = { serial: 1, working: 0, waiting: 0, tray: false, work: [], ...question };
    return { host, open: "s1", begin: () => host.emitGlobal({ event: "window.closing", payload }) };
  };
  const settings = (page: string): PaneScene => ({ ...chat(() => {}), begin: (app) => app.layout.go({ kind: "settings", tab: page }) });
  const all = (change: Partial<Settings>, more: Partial<Info> = {}): Handlers => ({ "app.info": () => info({ ...more, settings: { ...info().settings, ...change } }) });

  return {
    menu: () => chat(() => openMenu('nav [data-slot="footer"] [aria-haspopup]')),
    "question-command": () => asked({ reason: "This command is not in the list of allowed ones.", suggestions }),
    "question-rule": () =>
      asked({
        offers: [
          { means: "This command only", rules: ["Bash(go test ./upload/... -run TestRetry -count=1)"] },
          { means: "Every go test", rules: ["Bash(go test:*)"] },
        ],
      }, openRule),
    "question-more": () => asked({ suggestions }, () => openMore()),
    "question-choice": () => asked({ kind: "question", toolName: "AskUserQuestion", input: choiceInput }),
    "question-plan": () => asked({ kind: "plan", toolName: "ExitPlanMode", input: { plan } }),
    "question-edit": () =>
      asked({
        toolName: "Edit",
        input: {
          file_path: `${folder}/upload.go`,
          old_string: "func Send(ctx context.Context, p Part) error {\n\treturn post(ctx, p)\n}",
          new_string: "func Send(ctx context.Context, p Part) error {\n\tfor attempt := range 5 {\n\t\tif err := post(ctx, p); err == nil {\n\t\t\treturn nil\n\t\t}\n\t\twait(ctx, attempt)\n\t}\n\treturn ErrGaveUp\n}",
        },
      }),
    "question-trust": () =>
      asked({
        kind: "trust",
        toolName: "",
        input: {
          folder, hash: "a1", state: "unknown", more: 0,
          findings: [
            { kind: "hook", file: ".claude/settings.json", name: "PostToolUse", command: "npm run format -- --changed", why: "Runs on this event, without asking." },
            { kind: "mcp", file: ".mcp.json", name: "postgres", command: "npx -y @example/postgres-mcp", why: "Claude Code may start or connect to this server and offer its tools to Claude." },
          ],
        },
      }),
    todos: () => chat(() => click('[data-component="todos"] button'), { "todo.list": () => ({ todos, unread: 0 }) }),
    find: () => chat(() => (opens("Ctrl+f", '[data-component="find-bar"]'), type('[data-component="find-bar"] input', "upload"))),
    export: () => chat(() => opens("Ctrl+Shift+e", '[role="dialog"]')),
    switcher: () => chat(() => press("Ctrl+k")),
    shortcuts: () => chat(() => press("Ctrl+/")),
    closing: () => closing({ working: 2, waiting: 1, work: [
      { sessionId: "s2", title: "Sort out the failing migration", state: "waiting" },
      { sessionId: "s1", title: "Repeat parts of the upload that were lost", state: "working" },
      { sessionId: "s5", title: "", state: "working", heartbeat: "nightly" },
    ] }),
    "closing-many": () => closing({ working: 24, waiting: 0, tray: true, work: Array.from({ length: 20 }, (_, i) => ({ sessionId: `n${i}`, title: `Part ${i + 1} of the upload`, state: i > 17 ? "command" : "working" })) }),
    "closing-over": () => closing({ working: 0, waiting: 0 }),
    status: () => chat(() => {}, all({}, { problems: wrong.slice(0, 1) })),
    "status-many": () => chat(() => click('[data-slot="problems"]'), all({}, { problems: wrong })),
    "status-full": () => chat(() => {}, all({}, { problems: [full, ...wrong] })),
    newsession: () => chat(() => press("Ctrl+Shift+o")),
    folder: () => ({ host: createFakeHost(handlers({}, [])), begin: () => click("main button", "Choose a folder") }),
    slash: () => chat(() => type('[data-component="composer"] textarea', "/co")),
    mention: () => chat(() => type('[data-component="composer"] textarea', "@up")),
    ...Object.fromEntries(pageIds.map((id) => [`settings-${id}`, () => settings(id)])),
    "settings-search": () => chat(() => (press("Ctrl+,"), type('[data-component="dialog"] input[type="search"], [data-component="dialog"] input', "font"))),
    contrast: () => chat(() => when("html", (root) => (root.dataset["scheme"] = "contrast")), all({ scheme: "contrast" })),
    context: () => ({ ...chat(() => {}, tourHandlers({ state: "idle" }, sessions)), begin: ({ layout }) => layout.showInspector("context") }),
  };
}
