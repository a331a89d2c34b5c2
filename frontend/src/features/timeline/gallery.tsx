import { For, type JSX } from "solid-js";
import type { Block, Message, Tool } from "../../host/border.gen";
import { fromHistory } from "../../store/conversation";
import { ActivityLine } from "./ActivityLine";
import { MessageView } from "./Message";
import type { Scope } from "../../store/scope";
import { MessageText } from "./MessageText";

const at = Date.now() - 60_000;
const cwd = "/home/ada/projects/parley";
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/** A finished tool call; the change is merged into it. */
export function tool(name: string, input: unknown, change: Partial<Tool> = {}): Block {
  const toolUseId = `tool-${name}-${JSON.stringify(change).length}-${JSON.stringify(input ?? "").length}`;
  return {
    id: `block-${toolUseId}`,
    type: "tool",
    tool: { toolUseId, name, input, state: "done", startedAt: at, durationMs: 240, content: [], ...change },
  };
}

export function message(id: string, blocks: Block[], change: Partial<Message> = {}): Message {
  return { id, role: "assistant", at, blocks, ...change };
}

export function text(id: string, words: string, change: Partial<Block> = {}): Block {
  return { id, type: "text", text: words, ...change };
}

export function scopeOf(messages: Message[], change: Partial<Scope> = {}): Scope {
  return {
    conversation: fromHistory({ messages, total: messages.length, hasMore: false, before: "", seq: 0 }),
    sessionId: "s1",
    cwd,
    asking: () => false,
    task: () => undefined,
    ...change,
  };
}

function Conversation(props: { messages: Message[]; asking?: boolean }): JSX.Element {
  const scope = scopeOf(props.messages, { asking: () => props.asking ?? false });
  return (
    <div data-component="timeline">
      <div data-slot="scroller">
        <div data-slot="content">
          <For each={scope.conversation.order}>{(id) => <MessageView id={id} scope={scope} />}</For>
        </div>
      </div>
    </div>
  );
}

const patch = [
  {
    oldStart: 12,
    oldLines: 4,
    newStart: 12,
    newLines: 6,
    lines: [" func Send(ctx context.Context, p Part) error {", "-\treturn post(ctx, p)", "+\tfor attempt := range 5 {", "+\t\tif err := post(ctx, p); err == nil {", "+\t\t\treturn nil", " }"],
  },
  { oldStart: 40, oldLines: 1, newStart: 42, newLines: 1, lines: ["-// old", "+// new"] },
];

const answer = `Uploads now survive a dropped link. What changed:

- \`Send\` tries **five times** and waits longer each time
- a part carries a number, so the server can drop a repeated one
  1. the number is made from the content
  2. and is sent in \`Part-Number\`

\`\`\`go
for attempt := range 5 {
	if err := post(ctx, part); err == nil {
		return nil
	}
	wait(ctx, attempt)
}
\`\`\`

| Test | Before | After |
|---|:-:|--:|
| drops every third request | fails | 1.2 s |
| server gone for 10 s | fails | 11.4 s |

> The back-off is not configurable yet; see [the discussion](https://example.org/backoff).

### What is left

1. Run this once:

   \`\`\`sh
   make migrate
   \`\`\`

2. Look at \`client.go\`, which still has the old time-out.`;

const rich = `The figures of the last nights, with what is open[^1]:

| Suite | What it checks | Median | Slowest | Failures | Since | Owner |
|---|---|--:|--:|--:|---|---|
| upload | that a part which is sent twice is stored once, also when the link drops between | 1.2 s | 11.4 s | 0 | v2.1 | Ada |
| resume | that a transfer goes on where it was | 0.4 s | 0.9 s | 3 | v2.3 | Grace |

- [x] count the attempts
- [ ] wait between them, with $t_n = \\min(t_0 2^n, t_{max})$
- [ ] tell the person

The waiting time in all is bounded:

$$
\\sum_{n=0}^{N} t_n \\le \\frac{t_0 (2^{N+1} - 1)}{1 - p} + \\int_0^T \\! \\sqrt{x}\\, dx
$$

A formula that cannot be read: $\\frac{1$. It costs $5 or $10.

[^1]: The nights of the maintenance are left out; see \`nights.csv\`.`;

const codes = `\`\`\`ts
// Waits longer each time, and never for ever.
export async function send(part: Part, attempts = 5): Promise<Receipt> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const answer = await post("/parts", { number: part.number, body: part.bytes });
    if (answer.ok) return { at: Date.now(), number: part.number };
    await wait(Math.min(2 ** attempt * 100, 10_000));
  }
  throw new Error(\`part \${part.number} was not taken\`);
}
\`\`\`

\`\`\`diff
-	return post(ctx, p)
+	return retry(ctx, 5, func() error { return post(ctx, p) })
\`\`\`

\`\`\`python
${Array.from({ length: 80 }, (_, i) => `value_${i} = compute(${i}, "row ${i}")  # step ${i}`).join("\n")}
\`\`\``;

const diagrams = `\`\`\`mermaid
flowchart LR
  A[Part] --> B{Taken?}
  B -- yes --> C[Next part]
  B -- no --> D[Wait longer] --> A
\`\`\`

\`\`\`mermaid
sequenceDiagram
  participant P as Page
  participant S as Server
  P->>S: part 7
  S--xP: the link drops
  P->>S: part 7 again
  S-->>P: I have it
\`\`\`

\`\`\`mermaid
flowchart LR
  A --> (
\`\`\``;

const usage = { inputTokens: 1200, cacheReadTokens: 79_000, cacheCreationTokens: 4800, outputTokens: 834 };
const model = "claude-sonnet-4-5-20250929";
const result = { isError: false, costUSD: 0.0423, durationMs: 48_400, numTurns: 6, ttftMs: 900, usage };

export const galleryEntries: { name: string; component: () => JSX.Element }[] = [
  { name: "What was said instead of allowing", component: () => <MessageText text="Use the staging server.\nThe other one is live." by="" /> },
  { name: "What somebody in a chat said", component: () => <MessageText text="Not on a Friday." by="@alice in Mattermost" /> },
  {
    name: "Timeline: a whole turn",
    component: () => (
      <Conversation
        messages={[
          message("u1", [text("u1:0", "The upload fails for good when the connection drops for a moment.\nMake it retry, please.")], {
            role: "user",
            attachments: [{ name: "trace.png", mediaType: "image/png", bytes: 48_200 }],
          }),
          message("a1", [
            { id: "th1", type: "thinking", text: "The upload is one request in upload.go. A retry must not send a part twice.", tokens: 1240 },
            text("t1", "I will look at how the upload is done now."),
            tool("Read", { file_path: `${cwd}/upload.go` }, { durationMs: 12, structured: { type: "text", file: { filePath: `${cwd}/upload.go`, content: "package upload\n", numLines: 120, startLine: 1, totalLines: 120 } } }),
            tool("Grep", { pattern: "post\\(", path: `${cwd}/backend` }, { durationMs: 31, structured: { mode: "files_with_matches", numFiles: 3, filenames: [`${cwd}/a.go`, `${cwd}/b.go`, `${cwd}/c.go`] } }),
            tool("Edit", { file_path: `${cwd}/upload.go`, old_string: "a", new_string: "b" }, { durationMs: 18, structured: { structuredPatch: patch } }),
            tool("Bash", { command: "go test ./upload/...", description: "Run the upload tests" }, { durationMs: 8400, structured: { stdout: "ok  \tparley/upload\t1.204s\n", stderr: "", interrupted: false } }),
          ]),
          message("a2", [text("t2", answer)], { model, result }),
        ]}
      />
    ),
  },
  {
    name: "Timeline: states of a tool",
    component: () => (
      <Conversation
        messages={[
          message("s1", [
            tool("Bash", undefined, { state: "input", inputText: '{"command":"npm run bu', durationMs: 0 }),
            tool("Bash", { command: "npm run build" }, { state: "pending", durationMs: 0 }),
            tool("WebFetch", { url: "https://example.org/backoff", prompt: "What does it say about jitter?" }, { state: "stopped" }),
            tool("Bash", { command: "npm test" }, { state: "error", durationMs: 3100, content: [{ type: "text", text: "Exit code 1\n\u001b[31m✗ retries five times\u001b[0m\n  expected 5, got 4\n\nTests: \u001b[1m1 failed\u001b[22m, \u001b[32m14 passed\u001b[39m" }] }),
            tool("Edit", { file_path: "/etc/hosts", old_string: "a", new_string: "b" }, { state: "error", content: [{ type: "text", text: "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>" }] }),
          ]),
        ]}
      />
    ),
  },
  {
    name: "Timeline: a tool that waits for the person",
    component: () => (
      <Conversation asking messages={[message("w1", [tool("Bash", { command: "git push --force" }, { state: "pending", durationMs: 0 })])]} />
    ),
  },
  {
    name: "Timeline: what the tools show (opened by hand: click)",
    component: () => (
      <Conversation
        messages={[
          message("d1", [
            tool("Edit", { file_path: `${cwd}/upload.go` }, { structured: { structuredPatch: patch } }),
            tool("Write", { file_path: `${cwd}/retry.go`, content: "package upload\n\nconst most = 5\n" }, { structured: { type: "create" } }),
            tool("Bash", { command: "make" }, { structured: { stdout: "\u001b[32mbuilt\u001b[0m\n".repeat(60), stderr: "warning: slow disk\n", interrupted: true } }),
            tool("TodoWrite", { todos: [
              { content: "Read the upload", status: "completed", activeForm: "Reading the upload" },
              { content: "Add the retry", status: "in_progress", activeForm: "Adding the retry" },
              { content: "Write tests", status: "pending", activeForm: "Writing tests" },
            ] }),
            tool("AskUserQuestion", { questions: [{ question: "Where should the counter live?", header: "Storage", options: [{ label: "Memory" }] }] }, { structured: { answers: { "Where should the counter live?": "Memory" } } }),
            tool("ExitPlanMode", { plan: "# Plan\n\n1. **Count** the attempts\n2. Wait between them" }),
            tool("WebSearch", { query: "exponential backoff jitter" }, { structured: { results: [{ content: [{ title: "Exponential backoff", url: "https://example.org/a" }, { title: "Hostile", url: "javascript:alert(1)" }] }] } }),
            tool("mcp__claude_ai_Linear__list_issues", { team: "UP", limit: 3 }, { content: [{ type: "text", text: '[{"id":"UP-1"}]' }] }),
            tool("SomethingNew", { a: 1 }, { content: [{ type: "image", mediaType: "image/png", data: pixel }, { type: "other" }] }),
          ]),
        ]}
      />
    ),
  },
  {
    name: "Timeline: a subagent",
    component: () => (
      <Conversation
        messages={[
          message("g1", [tool("Task", { description: "Find every caller", prompt: "Look for `post(`.", subagent_type: "Explore" }, { toolUseId: "task-1", state: "pending", durationMs: 0 })]),
          message("g2", [tool("Grep", { pattern: "post\\(" }, { structured: { numFiles: 4 } }), text("gt", "Four files call it.")], { parentToolUseId: "task-1" }),
        ]}
      />
    ),
  },
  {
    name: "Timeline: notices",
    component: () => (
      <Conversation
        messages={[
          message("n1", [], { role: "notice", notice: { kind: "compaction", preTokens: 142_000, postTokens: 30_400 } }),
          message("n2", [], { role: "notice", notice: { kind: "interrupted", by: "window" } }),
          message("n2c", [], { role: "notice", notice: { kind: "interrupted", by: "@alice in Mattermost" } }),
          message("n2o", [], { role: "notice", notice: { kind: "interrupted" } }),
          message("notice:interrupted:t1", [], { role: "notice", notice: { kind: "interrupted" } }),
          message("n3", [], { role: "notice", notice: { kind: "error", code: "cli_exited", text: "Claude Code ended in the middle of the turn.", hint: "Send the next prompt to start it again; the conversation is kept.", detail: "FATAL ERROR: Reached heap limit" } }),
          message("n4", [], { role: "notice", notice: { kind: "closed" } }),
          message("n5", [], { role: "notice", notice: { kind: "cleared" } }),
          message("n6", [text("n6:0", "The conversation was summarised: **the upload** retries now.")], { role: "user", synthetic: true }),
          message("n6s", [text("n6s:0", "Now I wait.")], { model, result: { ...result, stopped: true } }),
          message("n7", [text("n7:0", "API Error: 529 overloaded")], { model: "<synthetic>", result: { ...result, isError: true, costUSD: 0 } }),
        ]}
      />
    ),
  },
  {
    name: "Timeline: streaming",
    component: () => (
      <Conversation
        messages={[
          message("st", [
            { id: "st1", type: "thinking", text: "First the callers.\nThen the **server** side, which promises", open: true, tokens: 310 },
            text("st2", "Here is the loop, with the **wait", { open: true }),
            text("st3", "```go\nfor attempt := range 5 {\n", { open: true }),
            text("st4", "An answer that was cut", { stopped: true }),
          ]),
        ]}
      />
    ),
  },
  {
    name: "Blocks: tables, tasks, notes, formulas",
    component: () => <Conversation messages={[message("k1", [text("k1:0", rich)])]} />,
  },
  {
    name: "Blocks: code, open and folded",
    component: () => <Conversation messages={[message("k2", [text("k2:0", codes)])]} />,
  },
  {
    name: "Blocks: diagrams",
    component: () => <Conversation messages={[message("k3", [text("k3:0", diagrams)])]} />,
  },
  {
    name: "Blocks: errors with their next step",
    component: () => (
      <>
        <Conversation messages={[message("e0", [text("e0:0", "Make it retry.")], { role: "user" }), message("e1", [], { role: "notice", notice: { kind: "error", code: "rate_limit", text: "You have reached your five-hour limit.", hint: "Wait for the limit to reset, then send the prompt again.", resetsAt: Date.now() + 5_400_000 } })]} />
        <Conversation messages={[message("e2", [], { role: "notice", notice: { kind: "error", code: "no_account", text: "Invalid API key.", hint: "Log in with the CLI (run “claude” in a terminal and type /login) or set an API key, then send the prompt again." } })]} />
        <Conversation messages={[message("e3", [], { role: "notice", notice: { kind: "error", code: "cli_missing", text: "The Claude Code CLI was not found.", hint: "Install it, or say in the settings where it is." } })]} />
      </>
    ),
  },
  {
    name: "Blocks: a picture in the text, and what reads differently from what it is",
    component: () => <Conversation messages={[message("k4", [text("k4:0", `![a dot](data:image/png;base64,${pixel})\n\n![elsewhere](https://cats.example/1.png)\n\nSee \u202ereversed and [https://bank.example](https://evil.example), \`rm \u2066-rf\`.`)])]} />,
  },
  {
    name: "Timeline: between the things that are said",
    component: () => (
      <>
        <ActivityLine activity={{ status: "requesting", message: "", retry: null, resetsAt: 0, since: Date.now() - 4000 }} />
        <ActivityLine
          activity={{ status: "retrying", message: "", resetsAt: 0, since: Date.now() - 9000, retry: { attempt: 2, maxRetries: 10, delayMs: 21_000, until: Date.now() + 12_000, httpStatus: 529, error: "overloaded" } }}
        />
      </>
    ),
  },
];
