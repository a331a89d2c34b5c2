// A conversation as it is after an hour of work: what the pictures of Parley show.

import type { Handlers } from "../src/host/fake";
import { createFakeHost } from "../src/host/fake";
import type { Block, Message, Session } from "../src/host/border.gen";
import { assistant, session, user } from "./fixtures";
import type { PaneScene } from "./panes";
import { click } from "./press";

const minute = 60_000;
const now = Date.now();
const folder = "/home/ada/projects/parley";

const tool = (id: string, name: string, input: Record<string, unknown>, structured: unknown, durationMs: number): Block => ({
  id: `b-${id}`,
  type: "tool",
  tool: { toolUseId: id, name, input, state: "done", startedAt: now - 5 * minute, durationMs, content: [], structured },
});

const patch = [
  {
    oldStart: 41, oldLines: 5, newStart: 41, newLines: 14,
    lines: [
      " // Send takes one part to the server.",
      " func Send(ctx context.Context, part Part) error {",
      "-\treturn post(ctx, part)",
      "+\tfor attempt := range attempts {",
      "+\t\terr := post(ctx, part)",
      "+\t\tif err == nil || !isTransient(err) {",
      "+\t\t\treturn err",
      "+\t\t}",
      "+\t\tif err := wait(ctx, backoff(attempt)); err != nil {",
      "+\t\t\treturn err",
      "+\t\t}",
      "+\t}",
      "+\treturn ErrGaveUp",
      " }",
      " ",
    ],
  },
];

const answer = `Uploads now survive a dropped link:

- \`Send\` tries **five times** and waits longer each time, ten seconds in all
- a part carries a number made from its content, so a repeated one is dropped by the server
- an error that no repetition can mend is reported at once

| Test | Before | After |
|---|:-:|--:|
| drops every third request | fails | 1.2 s |
| gone for 10 s | fails | 11.4 s |`;

const messages: Message[] = [
  { ...user("u1", "The upload fails for good when the connection drops for a moment. Make it retry, please, and show me that it works."), at: now - 8 * minute },
  assistant("a1", [
    { id: "th1", type: "thinking", text: "The upload is one request in upload.go. A retry must not send a part twice.", tokens: 640 },
    tool("r1", "Read", { file_path: `${folder}/backend/upload/upload.go` }, { type: "text", file: { filePath: `${folder}/backend/upload/upload.go`, content: "package upload\n", numLines: 120, startLine: 1, totalLines: 120 } }, 12),
    tool("g1", "Grep", { pattern: "post\\(", path: `${folder}/backend` }, { mode: "files_with_matches", numFiles: 3, filenames: ["a.go", "b.go", "c.go"].map((name) => `${folder}/backend/${name}`) }, 31),
    tool("e1", "Edit", { file_path: `${folder}/backend/upload/upload.go`, old_string: "a", new_string: "b" }, { filePath: `${folder}/backend/upload/upload.go`, structuredPatch: patch }, 18),
    tool("x1", "Bash", { command: "go test ./backend/upload/...", description: "Run the upload tests" }, { stdout: "ok  \tparley/backend/upload\t12.604s\n", stderr: "", interrupted: false }, 12_900),
  ], { at: now - 7 * minute }),
  assistant("a2", [{ id: "t2", type: "text", text: answer }], {
    at: now - 6 * minute,
    model: "claude-sonnet-4-5-20250929",
    result: { isError: false, costUSD: 0.1623, durationMs: 84_000, numTurns: 6, ttftMs: 900, usage: { inputTokens: 1200, outputTokens: 2140, cacheReadTokens: 79_000, cacheCreationTokens: 4800 } },
  }),
];

/** Before the tests have run. */
export const halfway: Message[] = messages.slice(0, 2).map((message) => ({ ...message, blocks: message.blocks.filter((block) => block.id !== "b-x1") }));

/** What a host answers of the first session, which has said all that. */
export const tourHandlers = (change: Partial<Session>, sessions: readonly Session[], said = messages): Handlers => {
  const all = sessions.map((s) => (s.id === "s1" ? { ...s, ...change } : s));
  return {
    "session.list": () => ({ sessions: all, total: all.length }),
    "session.get": ({ sessionId }) => all.find((s) => s.id === sessionId) ?? session(sessionId),
    "session.history": () => ({ messages: said, total: said.length, hasMore: false, before: "", seq: 0 }),
  };
};

/** The scenes, over what a host answers otherwise. */
export function tourScenes(handlers: (change?: Handlers) => Handlers, sessions: readonly Session[]): Record<string, () => PaneScene> {
  const host = () => createFakeHost(handlers({ ...tourHandlers({ state: "idle" }, sessions), "permission.list": () => ({ requests: [] }) }));
  return {
    conversation: () => ({ host: host(), open: "s1" }),
    diff: () => ({ host: host(), open: "s1", begin: () => click('[data-component="tool-card"] > [data-slot="line"]', "Edited", (line) => setTimeout(() => line.scrollIntoView({ block: "start" }), 100)) }),
  };
}
