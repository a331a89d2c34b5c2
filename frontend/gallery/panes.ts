// Scenes of how sessions are shown: panes and tabs, trouble, places far back,
// search and processes.

import type { Message, ProcessInfo, SearchHit, Session } from "../src/host/border.gen";
import { createFakeHost, type FakeHost, type Handlers } from "../src/host/fake";
import type { App } from "../src/store/context";
import { assistant, event, info, library, session, user } from "./fixtures";

const minute = 60_000;
const now = Date.now();

export interface PaneScene {
  host: FakeHost;
  open?: string;
  /** Runs when the page is there. */
  begin?: (app: App) => void;
}

const answer = (i: number) =>
  [
    `Part ${i} of the upload is sent again when it is lost. The server drops a part that it has:`,
    "- a part carries a **number**, made from its content",
    "- `Send` tries five times and waits longer each time",
    "```go\nfor attempt := range 5 {\n\tif err := post(ctx, part); err == nil {\n\t\treturn nil\n\t}\n}\n```",
  ].join("\n\n");

/** A conversation of so many messages. */
function longConversation(count: number, prefix = ""): Message[] {
  return Array.from({ length: count }, (_, i) => {
    const at = now - (count - i) * minute;
    if (i % 2 === 0) return { ...user(`${prefix}u${i}`, `What happens with part ${i / 2} when the link drops?`), at };
    return assistant(
      `${prefix}a${i}`,
      [
        { id: `${prefix}t${i}`, type: "tool", tool: { toolUseId: `${prefix}tool${i}`, name: "Read", input: { file_path: "/home/ada/projects/parley/upload.go" }, state: "done", startedAt: at, durationMs: 12, content: [] } },
        { id: `${prefix}b${i}`, type: "text", text: answer((i - 1) / 2) },
      ],
      { at },
    );
  });
}

const page = (messages: Message[], hasMore = false) => ({ messages, total: messages.length, hasMore, before: "x", seq: 0 });

/** A layout of two panes. */
/** What was open the last time, in one pane. */
const one = (tabs: string[]) => ({
  "layout.get": ({ window }: { window: string }) => ({ window, updatedAt: now, layout: { panes: [{ tabs, active: tabs[0] }], focused: 0 } }),
});

const split = (left: string[], right: string[]) => ({
  "layout.get": ({ window }: { window: string }) => ({
    window,
    updatedAt: now,
    layout: {
      panes: [{ tabs: left, active: left[0] }, { tabs: right, active: right[0] }],
      focused: 1,
      ratio: 0.5,
    },
  }),
});

const hit = (change: Partial<SearchHit>): SearchHit => ({
  sessionId: "s1", title: "Retry the upload when the link drops", cwd: "/home/ada/projects/parley", kind: "answer", tool: "",
  model: "claude-sonnet-4-5", isError: false, at: now - 50 * minute, snippet: "", marks: [], target: "t", messageId: "", ...change,
});

const hits: SearchHit[] = [
  hit({ kind: "title", snippet: "Retry the upload when the link drops", marks: [{ start: 10, end: 16 }], target: "" }),
  hit({ kind: "prompt", snippet: "The upload fails for good when the connection drops for a moment. Make it retry, please.", marks: [{ start: 4, end: 10 }] }),
  hit({ kind: "tool_input", tool: "Bash", snippet: "go test ./upload/... -run Retry -count 20", marks: [{ start: 10, end: 16 }] }),
  hit({ kind: "tool_output", tool: "Bash", isError: true, snippet: "--- FAIL: TestUploadRetries (1.20s)\n    upload_test.go:48: expected 5 attempts, got 4", marks: [{ start: 14, end: 20 }, { start: 40, end: 46 }] }),
  hit({ sessionId: "s2", title: "Why is the nightly build slow?", cwd: "/home/ada/projects/engine", at: now - 4000 * minute, snippet: "Most of the time goes into the upload of the artefacts: 6 of 9 minutes. They are compressed twice, once by the build and once more by the upload itself.", marks: [{ start: 31, end: 37 }, { start: 138, end: 144 }] }),
];

const process = (pid: number, change: Partial<ProcessInfo>): ProcessInfo => ({
  pid, kind: "cli", name: "claude", sessionId: "", title: "", engine: "", startedAt: now - 42 * minute, cpuPercent: 0, cpuMs: 900, bytes: 212_000_000, state: "", ...change,
});

/** The scenes, over what a host answers otherwise. */
export function paneScenes(handlers: (change?: Handlers) => Handlers): Record<string, () => PaneScene> {
  const host = (change: Handlers = {}) => createFakeHost({ ...handlers(change), "session.reportCrash": () => ({}), "session.fork": () => session("new"), ...change });
  const withSession = (change: Partial<Session>): Handlers => {
    const s = session("s9", { title: "Sort out the failing migration", lastActivityAt: now - 5 * minute, ...change });
    return { "session.list": () => ({ sessions: [s], total: 1 }), "permission.list": () => ({ requests: [] }) };
  };
  return {
    split: () => ({ host: host(split(["s1", "s3"], ["s2", "s4", "s5"])) }),
    tabs: () => ({
      host: host(),
      begin: ({ layout }) => ["s3", "s5", "s4", "s2", "s1"].forEach(layout.open),
    }),
    halfempty: () => ({ host: host(), begin: ({ layout }) => (layout.open("s1"), layout.toggleSplit()) }),
    safemode: () => ({ host: host({ "app.info": () => info({ desktop: true, safeMode: true }), ...one(["s1", "s3", "s2"]) }) }),
    safemodesession: () => ({
      host: host({ ...withSession({}), "app.info": () => info({ desktop: true, safeMode: true }), "session.history": () => page(longConversation(6)) }),
      open: "s9",
    }),
    trouble: () => ({ host: host(withSession({ trouble: "hung" })), open: "s9" }),
    crash: () => ({
      host: host({
        ...withSession({}),
        "session.history": () =>
          page([user("u1", "Draw this."), assistant("a1", [{ id: "b", type: "tool", tool: null as never }, { id: "c", type: "tool", tool: {} as never }])]),
      }),
      open: "s9",
    }),
    terminal: () => ({
      host: host({ ...withSession({ origin: "cli", lastActivityAt: now - 90 * minute }), "session.history": () => page(longConversation(6)) }),
      open: "s9",
    }),
    interrupted: () => ({
      host: host({
        ...withSession({ interrupted: true }),
        "session.history": () =>
          page([
            ...longConversation(3),
            { id: "notice:cleared", role: "notice", at: now, blocks: [], notice: { kind: "cleared" } },
            user("u9", "Run all the tests."),
            { id: "notice:interrupted:t1", role: "notice", at: now, blocks: [], notice: { kind: "interrupted" } },
          ]),
      }),
      open: "s9",
    }),
    jump: () => ({
      host: host({
        "session.history": ({ before }) => (before ? page([]) : page(longConversation(20, "n"), true)),
        "session.findMessage": () => page(longConversation(24), true),
      }),
      begin: ({ actions }) => void actions.jump("s1", { target: "far" }),
    }),
    search: () => ({
      host: host({ "search.query": () => ({ hits, total: 5, more: false, partial: false, tookMs: 4 }) }),
      open: "s1",
      begin: ({ layout }) => layout.setOverlay({ kind: "search", text: "upload" }),
    }),
    searching: () => ({
      host: host({
        "library.status": () =>
          library({ onDisk: 2143, shown: 2087, search: { busy: true, files: 2143, filesDone: 900, bytes: 2_100_000_000, bytesDone: 840_000_000, problem: "" } }),
        "search.query": () => ({ hits: [], total: 0, more: false, partial: true, tookMs: 4 }),
      }),
      open: "s1",
      begin: ({ layout }) => layout.setOverlay({ kind: "search", text: "zeppelin" }),
    }),
    processes: () => ({
      host: host({
        "process.list": () => ({
          self: process(4100, { kind: "parley", name: "parley", cpuPercent: 0.3, bytes: 64_000_000, startedAt: now - 190 * minute }),
          orphans: 2,
          held: "cgroup",
          processes: [
            process(4711, { sessionId: "s1", title: "Retry the upload when the link drops", engine: "cli", cpuPercent: 12.4, bytes: 312_000_000, state: "running" }),
            process(4750, { kind: "descendant", sessionId: "s1", name: "go test ./upload/...", cpuPercent: 96, bytes: 180_000_000, startedAt: now - 14_000 }),
            process(4751, { kind: "descendant", sessionId: "s1", name: "upload.test", cpuPercent: 41, bytes: 38_000_000, startedAt: now - 9000 }),
            process(4712, { sessionId: "s2", title: "Why is the nightly build slow?", engine: "sdk", cpuPercent: 0, state: "waiting", startedAt: now - 4 * minute }),
          ],
        }),
        "process.end": () => ({}),
      }),
      open: "s1",
      begin: ({ layout }) => layout.go({ kind: "processes" }),
    }),
    // ?scene=long&messages=400
    long: () => {
      const count = Number(new URLSearchParams(location.search).get("messages") ?? 2000);
      const made = host({
        ...split(["s1"], ["s2"]),
        "permission.list": () => ({ requests: [] }),
        "session.history": ({ sessionId }) => page(longConversation(count, sessionId)),
      });
      return { host: made, begin: () => stream(made) };
    },
  };
}

/** Two answers that grow side by side, sixty deltas a second each. */
function stream(host: FakeHost): void {
  let n = 0;
  const timer = setInterval(() => {
    n++;
    if (n > 600) clearInterval(timer);
    for (const id of ["s1", "s2"]) {
      host.emit(event("text_delta", id, n, { messageId: `${id}-new`, blockId: `${id}-block`, text: n % 12 === 0 ? `word ${n}.\n\n` : `word ${n} ` }));
    }
  }, 16);
}
