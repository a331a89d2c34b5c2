// Every tool of the CLI with a realistic input and result, for the gallery and the card tests.

import type { ResultContent, Tool } from "../../host/border.gen";

export interface Example {
  /** The tool's name as the model calls it. */
  name: string;
  /** What is special about this example, "" for the usual case. */
  about: string;
  input: unknown;
  structured?: unknown;
  content?: ResultContent[];
  /** Texts that must appear on the expanded card. */
  says: string[];
}

const cwd = "/home/ada/projects/parley";
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
const said = (text: string): ResultContent[] => [{ type: "text", text }];

function example(name: string, input: unknown, structured: unknown, says: string[], more: Partial<Example> = {}): Example {
  return { name, about: "", input, says, ...(structured === undefined ? {} : { structured }), ...more };
}

const patch = [
  {
    oldStart: 12, oldLines: 5, newStart: 12, newLines: 8,
    lines: [
      " func Send(ctx context.Context, p Part) error {", "-\treturn post(ctx, p, time.Second)", "+\tfor attempt := range 5 {", "+\t\tif err := post(ctx, p, wait(attempt)); err == nil {",
      "+\t\t\treturn nil", "+\t\t}", " }",
    ],
  },
  { oldStart: 40, oldLines: 1, newStart: 43, newLines: 1, lines: ["-const most = 3 // attempts", "+const most = 5 // attempts"] },
];

const todos = [
  { content: "Read the upload", status: "completed", activeForm: "Reading the upload" },
  { content: "Add the retry", status: "in_progress", activeForm: "Adding the retry" },
  { content: "Write tests", status: "pending", activeForm: "Writing tests" },
];

export const examples: Example[] = [
  example("Bash", { command: "go test ./upload/... | tail -n 3", description: "Run the upload tests" },
    { stdout: "\u001b[32mok\u001b[0m  \tparley/upload\t1.204s\n\u001b[33mwarning\u001b[0m: slow disk\n", stderr: "", interrupted: false }, ["go test ./upload", "parley/upload"]),
  example("Bash", { command: "npm run dev", run_in_background: true }, { stdout: "", stderr: "", interrupted: false, backgroundTaskId: "b7c2a1" }, ["Running in the background as b7c2a1."], { about: "in the background" }),
  example("Bash", { command: "cat build.log" },
    { stdout: "first line\n", stderr: "cat: other: no such file\n", interrupted: true, persistedOutputPath: "/home/ada/.claude/tool-results/b1.txt", persistedOutputSize: 4_200_000 },
    ["Only the start is shown", "tool-results/b1.txt", "interrupted", "no such file"], { about: "cut" }),
  example("Bash", { command: "git commit -m 'Retry' && git push" },
    { stdout: "done\n", stderr: "", interrupted: false, gitOperation: { commit: { sha: "a1b2c3d4e5f6a7", kind: "committed", branch: "main" }, push: { branch: "main" } } }, ["Commit a1b2c3d4e5 on main", "Pushed main"], { about: "git" }),
  example("Read", { file_path: `${cwd}/upload.go`, offset: 12, limit: 3 },
    { type: "text", file: { filePath: `${cwd}/upload.go`, content: "func Send(ctx context.Context, p Part) error {\n\treturn post(ctx, p)\n}", numLines: 3, startLine: 12, totalLines: 120 } }, ["upload.go", "Lines 12 to 14 of 120", "func Send"]),
  example("Read", { file_path: `${cwd}/shot.png` }, { type: "image", file: { base64: pixel, type: "image/png", originalSize: 78 } }, ["shot.png"], { about: "image" }),
  example("Read", { file_path: `${cwd}/paper.pdf`, pages: "1-3" }, { type: "parts", file: { filePath: `${cwd}/paper.pdf`, originalSize: 812_000, count: 3, outputDir: "/tmp/p" } }, ["3 pages, PDF, 812 KB"],
    { about: "PDF", content: [{ type: "image", mediaType: "image/png", data: pixel }] }),
  example("Read", { file_path: `${cwd}/plot.ipynb` },
    { type: "notebook", file: { filePath: `${cwd}/plot.ipynb`, cells: [
      { cellType: "markdown", source: "# Upload **times**", cell_id: "c0" },
      { cellType: "code", source: "import numpy as np\nnp.mean([1, 2])", language: "python", outputs: [{ output_type: "execute_result", text: "1.5" }] },
    ] } }, ["Cell 1", "times", "1.5"], { about: "notebook" }),
  example("Edit", { file_path: `${cwd}/upload.go`, old_string: "a", new_string: "b" }, { filePath: `${cwd}/upload.go`, structuredPatch: patch, userModified: true }, ["for attempt := range 5", "You edited this"]),
  example("MultiEdit", { file_path: `${cwd}/upload.go`, edits: [{ old_string: "const most = 3", new_string: "const most = 5" }, { old_string: "one", new_string: "two" }] }, undefined, ["const most = 5", "two"]),
  example("Write", { file_path: `${cwd}/retry.go`, content: "package upload\n\nconst most = 5\n" }, { type: "create", filePath: `${cwd}/retry.go` }, ["const most = 5"]),
  example("Write", { file_path: `${cwd}/upload.go`, content: "all of it" }, { type: "update", filePath: `${cwd}/upload.go`, structuredPatch: patch }, ["for attempt := range 5"], { about: "over a file that was there" }),
  example("NotebookEdit", { notebook_path: `${cwd}/plot.ipynb`, cell_id: "c2", new_source: "np.mean([1, 2, 3])", cell_type: "code" },
    { new_source: "np.mean([1, 2, 3])", old_source: "np.mean([1, 2])", cell_id: "c2", cell_type: "code", language: "python", edit_mode: "replace" }, ["Changed cell c2", "np.mean([1, 2, 3])"]),
  example("Glob", { pattern: "**/*.go" }, { durationMs: 4, numFiles: 2, filenames: [`${cwd}/upload.go`, `${cwd}/retry.go`], truncated: true }, ["upload.go", "Only the first results are shown."]),
  example("Grep", { pattern: "post\\(", path: `${cwd}/backend`, output_mode: "content" },
    { mode: "content", numFiles: 2, filenames: [], content: "backend/a.go:12:\treturn post(ctx, p)\nbackend/a.go-13-}\nbackend/b.go:7:func post(", numLines: 3, numMatches: 2 }, ["backend/a.go:12", "return post(ctx, p)", "backend/b.go:7"]),
  example("Grep", { pattern: "TODO", output_mode: "count" }, { mode: "count", numFiles: 1, filenames: [], content: "backend/a.go:3" }, ["backend/a.go", "3"], { about: "counts" }),
  example("WebFetch", { url: "https://example.org/backoff", prompt: "What does it say about jitter?" }, { code: 200, codeText: "OK", bytes: 48_200, result: "It **recommends** jitter.", url: "https://example.org/backoff", durationMs: 900 }, ["200 OK, 48 KB", "jitter"]),
  example("WebSearch", { query: "exponential backoff jitter" },
    { query: "x", results: [{ tool_use_id: "t", content: [{ title: "Exponential backoff", url: "https://example.org/a" }, { title: "Hostile", url: "javascript:alert(1)" }] }, "Jitter helps."], durationSeconds: 2 }, ["Exponential backoff", "example.org", "Jitter helps."]),
  example("Agent", { description: "Find every caller", prompt: "Look for `post(`.", subagent_type: "Explore", run_in_background: false },
    { status: "completed", agentId: "a1", totalToolUseCount: 7, totalTokens: 41_200, totalDurationMs: 9000, prompt: "Look", content: [] }, ["Prompt · Explore", "Four files call it.", "7 steps · 41k tokens"], { content: said("Four files call it.") }),
  example("TodoWrite", { todos }, { oldTodos: [], newTodos: todos }, ["Read the upload", "Adding the retry", "1 of 3"]),
  example("TaskCreate", { subject: "Write tests", description: "All of them", activeForm: "Writing tests" }, { task: { id: "4", subject: "Write tests" } }, ["#4 Write tests", "All of them"]),
  example("TaskGet", { taskId: "4" }, { task: { id: "4", subject: "Write tests", description: "All of them", status: "pending", blocks: [], blockedBy: ["2"] } }, ["#4 Write tests", "after #2"]),
  example("TaskUpdate", { taskId: "4", status: "completed", subject: "Write tests" }, { success: true, taskId: "4", updatedFields: ["status"], statusChange: { from: "in_progress", to: "completed" } }, ["#4 Write tests", "in progress → done"]),
  example("TaskList", {}, { tasks: [{ id: "1", subject: "Read", status: "completed", blockedBy: [] }, { id: "2", subject: "Write", status: "pending", blockedBy: ["1"] }] }, ["#1 Read", "#2 Write", "2 tasks"]),
  example("TaskStop", { task_id: "b7c2a1" }, { message: "Stopped", task_id: "b7c2a1", task_type: "local_bash", command: "npm run dev" }, ["b7c2a1", "Stopped b7c2a1"], { content: said("Stopped b7c2a1") }),
  example("TaskOutput", { task_id: "b7c2a1", block: true, timeout: 3000 }, undefined, ["listening on 5173"], { content: said("listening on 5173") }),
  example("BashOutput", { bash_id: "shell_1" }, undefined, ["listening on 5173"], { content: said("listening on 5173") }),
  example("KillShell", { shell_id: "shell_1" }, undefined, ["shell_1", "Killed"], { content: said("Killed") }),
  example("AskUserQuestion", { questions: [{ question: "Where should the counter live?", header: "Storage", multiSelect: false, options: [{ label: "Memory", description: "Fast" }, { label: "Disk", description: "Safe" }] }] },
    { answers: { "Where should the counter live?": "Memory" }, annotations: { "Where should the counter live?": { notes: "for now" } } }, ["Where should the counter live?", "Memory", "for now"]),
  example("EnterPlanMode", {}, { message: "Entered plan mode" }, ["Entered plan mode"], { content: said("Entered plan mode") }),
  example("ExitPlanMode", { plan: "# Plan\n\n1. **Count** the attempts\n2. Wait between them" }, { plan: "# Plan\n\n1. **Count** the attempts\n2. Wait between them", isAgent: false, filePath: "/home/ada/.claude/plans/retry.md", planWasEdited: true },
    ["the attempts", "retry.md", "You edited the plan."]),
  example("EnterWorktree", { name: "retry" }, { worktreePath: `${cwd}/.claude/worktrees/retry`, worktreeBranch: "worktree-retry", message: "Created" }, ["worktrees/retry", "Branch worktree-retry"]),
  example("ExitWorktree", { action: "remove", discard_changes: true }, { action: "remove", originalCwd: cwd, worktreePath: `${cwd}/.claude/worktrees/retry`, message: "Left" }, ["removed"]),
  example("Skill", { skill: "code-review", args: "--fix" }, { success: true, commandName: "code-review" }, ["code-review", "--fix"], { content: said("Launching skill: code-review") }),
  example("SlashCommand", { command: "/review 12" }, undefined, ["/review 12", "ok"], { content: said("ok") }),
  example("ToolSearch", { query: "select:WebFetch", max_results: 5 }, undefined, ["select:WebFetch", "max_results"], { content: said("1 tool") }),
  example("CronCreate", { cron: "0 9 * * 1-5", prompt: "Look at the **nightly** build", recurring: true, durable: true }, { id: "c1", humanSchedule: "Weekdays at 9:00 AM", recurring: true, durable: true, nextFireAt: 1_800_000_000_000 }, ["on weekdays at", "kept when the session ends", "nightly"]),
  example("CronDelete", { id: "c1" }, { id: "c1" }, ["c1"], { content: said("Deleted c1") }),
  example("CronList", {}, { jobs: [{ id: "c1", cron: "0 9 * * 1-5", humanSchedule: "Weekdays at 9:00 AM", prompt: "Look" }] }, ["On weekdays at", "1 schedule"]),
  example("ScheduleWakeup", { delaySeconds: 600, reason: "The build takes ten minutes", prompt: "Look again" }, { scheduledFor: 1_800_000_000_000, clampedDelaySeconds: 600, wasClamped: false }, ["Wakes at", "The build takes ten minutes", "Look again"]),
  example("Monitor", { description: "errors in the log", timeout_ms: 300_000, command: "tail -f server.log | grep ERROR" }, { taskId: "m1", timeoutMs: 300_000 }, ["For up to 5 m 00 s", "tail -f server.log"]),
  example("Workflow", { name: "release", args: { version: "1.2.0" } }, { status: "async_launched", taskId: "w1", workflowName: "release" }, ["release", "version", "1.2.0"], { content: said("Started w1") }),
  example("PushNotification", { message: "The build is done" }, { message: "The build is done", localSent: true }, ["The build is done"]),
  example("ReportFindings", { level: "high", findings: [{ file: "upload.go", line: 14, summary: "The last error is lost", failure_scenario: "All five attempts fail: Send returns nil.", severity: "important", verdict: "CONFIRMED", category: "correctness" }] },
    { count: 1, findings: [] }, ["The last error is lost", "upload.go:14", "important · confirmed · correctness", "1 finding"]),
  example("Artifact", { file_path: `${cwd}/report.html`, title: "Upload report" }, { url: "https://claude.ai/code/artifact/1", path: `${cwd}/report.html`, title: "Upload report" }, ["Upload report", "claude.ai", "report.html"]),
  example("ListMcpResourcesTool", { server: "docs" }, [{ uri: "docs://a", name: "Guide", mimeType: "text/markdown", server: "docs" }], ["Guide", "docs · docs://a · text/markdown", "1 resource"]),
  example("ReadMcpResourceTool", { server: "docs", uri: "docs://a" }, { contents: [{ uri: "docs://a", mimeType: "text/markdown", text: "# Guide" }] }, ["docs://a · text/markdown", "# Guide"]),
  example("ReadMcpResourceDirTool", { server: "docs", uri: "docs://" }, { resources: [{ uri: "docs://a", name: "Guide" }] }, ["Guide", "1 resource"]),
  example("RefreshMcpTools", { server: "docs" }, [{ server: "docs", status: "refreshed", toolCount: 4 }], ["docs"], { content: said('[{"server":"docs","status":"refreshed","toolCount":4}]') }),
  example("mcp__claude_ai_Linear__list_issues", { team: "UP", limit: 3, open: true, labels: [], filter: { state: { in: ["todo", "doing"] } } }, undefined, ["claude.ai Linear · list issues", "team", "UP", "1 member"], { content: said('[{"id":"UP-1","title":"Retry"}]') }),
  example("SendFeedback", { type: "bug", title: "The diff is cut", details: "**What happened:** cut" }, { success: true, message: "Sent" }, ["The diff is cut"], { content: said("Sent") }),
  example("SendMessage", { to: "explorer", summary: "Look again", message: "Look at b.go too" }, undefined, ["explorer", "Look at b.go too"], { content: said("Sent") }),
  example("ClaudeDesign", { operation: "list", arguments: {} }, { operation: "list", content: [] }, ["list"], { content: said("[]") }),
  example("Projects", { method: "project_search", query: "retry" }, { method: "project_search", rag: true, hits: [] }, ["project_search", "retry"], { content: said("Nothing") }),
  example("RemoteTrigger", { action: "list" }, { status: 200, json: "[]" }, ["list"], { content: said("[]") }),
  example("ShowOnboardingRolePicker", {}, { role: "engineer" }, ["engineer"], { content: said("engineer") }),
  example("OfferChromeSetup", { reason: "To log in" }, { outcome: "not_now" }, ["To log in"], { content: said("not_now") }),
  example("ReadNotifications", {}, { notifications: [], remaining: 0 }, ["None"], { content: said("None") }),
  example("ProposeSkills", { proposals: [{ name: "retry", kind: "new", description: "When an upload fails" }] }, { proposalCount: 1 }, ["proposals", "1 item"], { content: said("1 shown") }),
  example("ProposeGoal", { condition: "all tests pass" }, { condition: "all tests pass", askUser: true }, ["all tests pass"]),
  example("SomethingNew", { a: 1, b: null, nested: { deep: true } }, undefined, ["SomethingNew", "nested", "can’t be shown"], { content: [{ type: "image", mediaType: "image/png", data: pixel }, { type: "other" }] }),
];

const own = (name: string, input: unknown, says: string[]) => example(`mcp__parley__${name}`, input, undefined, says);

/** Parley's own tools, each with the text of its line. */
export const ownExamples: Example[] = [
  own("save_memory", { text: "Tests of the upload run against the real server.\nNever against the one of the customers." }, ["Remembered", "Tests of the upload"]),
  own("search_memory", { query: "upload server" }, ["Searched memories for", "upload server"]),
  own("forget_memory", { memory: "The upload has no tests." }, ["Forgot", "The upload has no tests."]),
  own("manage_heartbeat", { action: "create", name: "nightly", every: "1d", prompt: "Run the tests." }, ["Created the heartbeat", "nightly"]),
  own("join", { channel: "build", nickname: "uploads" }, ["Joined", "#build as uploads"]),
  own("say", { channel: "build", text: "@reviewer the retry is in, please look." }, ["Posted in", "#build: @reviewer the retry is in"]),
  own("listen", { channel: "build", timeout_seconds: 60 }, ["Listened to", "#build"]),
  own("room_history", { channel: "build" }, ["Read messages in", "#build"]),
  own("room_receipts", { channel: "build" }, ["Checked who has read messages in", "#build"]),
  own("list_rooms", {}, ["Listed rooms"]),
  own("leave", { channel: "build" }, ["Left", "#build"]),
  own("list_sessions", { limit: 20 }, ["Listed sessions"]),
  own("read_session", { session_id: "6f1c2a90-4b7d-4a51-9d0e-2f8a3c5b7e11" }, ["Read another session"]),
  own("send_to_session", { session_id: "6f1c2a90-4b7d-4a51-9d0e-2f8a3c5b7e11", text: "The interface has changed." }, ["Sent a message to another session: The interface has changed."]),
  own("spawn_session", { prompt: "Port the settings page.", title: "Port the settings" }, ["Started a session", "Port the settings"]),
  own("session_receipt", { receipt_id: "r1" }, ["Checked a message’s status"]),
  own("get_thread_content", { limit: 20 }, ["Read the chat thread"]),
  own("manage_tmux_sessions", { action: "send_input", target: "code:1.0", text: "go on" }, ["Typed into the terminal", "code:1.0: go on"]),
  own("notify_user", { title: "The tests are green", text: "All 412 of them." }, ["Notified you", "The tests are green"]),
  own("ask_user", { questions: [{ question: "May the pause be shorter than a second?" }] }, ["Asked you", "May the pause be shorter than a second?"]),
];

export type CardState = "input" | "pending" | "asking" | "done" | "error" | "stopped" | "notRun" | "expired" | "interrupted" | "cutOff";
export const states: readonly CardState[] = ["input", "pending", "asking", "done", "error", "stopped", "notRun", "expired", "interrupted", "cutOff"];

let made = 0;

/** The example as a tool call in a state. */
export function toolOf(example: Example, state: CardState, at = Date.now() - 12_000): Tool {
  const { name, input, structured, content } = example;
  const base: Tool = { toolUseId: `example-${++made}`, name, state: state === "asking" ? "pending" : state === "expired" || state === "interrupted" ? "notRun" : state, startedAt: at };
  switch (state) {
    case "input":
      return { ...base, inputText: JSON.stringify(input).slice(0, -2) };
    case "pending":
    case "asking":
    case "stopped":
    case "cutOff":
      return { ...base, input };
    case "error":
      return { ...base, input, durationMs: 310, content: said(name === "Bash" ? "Exit code 1\n\u001b[31m✗ retries five times\u001b[0m" : "<tool_use_error>That did not work.</tool_use_error>") };
    case "notRun":
      return { ...base, input, reason: "denied", content: said("Not in this folder.") };
    case "expired":
      return { ...base, input, reason: state, content: said("Nobody answered within 24 hours.") };
    case "interrupted":
      return { ...base, input, reason: state, content: [] };
    default:
      return { ...base, input, durationMs: 240, content: content ?? [], ...(structured === undefined ? {} : { structured }) };
  }
}
