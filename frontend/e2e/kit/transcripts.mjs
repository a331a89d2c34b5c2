// Conversations as the CLI stores them on disk, of any length.

import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A conversation with this many messages: prompts, answers with Markdown, and tools with their results. */
export function* longPast(messages) {
  for (let i = 0, made = 0; made < messages; i++) {
    yield { prompt: `Prompt number ${i}. ${filler(i, 1 + (i % 3))}` };
    const tool = i % 3 === 1 ? { name: "Bash", input: { command: `make part-${i}`, description: "Build a part" }, output: filler(i, 2 + (i % 9)) } : null;
    if (tool) yield { tool, words: `I look at part ${i}.` };
    yield { words: answer(i) };
    made += tool ? 3 : 2;
  }
}

/** Writes a conversation to the CLI's folder; returns its id. steps are those of longPast. */
export function writePast(sandbox, steps, { cwd = sandbox.work, at = Date.now() - 86_400_000 } = {}) {
  const id = randomUUID();
  const lines = [];
  let parentUuid = null;
  let time = at;
  const line = (body) => {
    const uuid = randomUUID();
    time += 1000;
    lines.push(JSON.stringify({
      parentUuid, isSidechain: false, ...body, uuid, timestamp: new Date(time).toISOString(), userType: "external",
      entrypoint: "cli", cwd, sessionId: id, version: "2.1.329", gitBranch: "main",
    }));
    parentUuid = uuid;
  };
  const usage = { input_tokens: 4, cache_creation_input_tokens: 100, cache_read_input_tokens: 20_000, output_tokens: 100, service_tier: "standard" };
  let n = 0;
  for (const { prompt, words, tool } of steps) {
    n++;
    if (prompt !== undefined) {
      line({ promptId: `p${n}`, type: "user", message: { role: "user", content: prompt }, promptSource: "typed" });
      continue;
    }
    const piece = (content, block) => line({
      message: {
        content: [content], id: `msg_${n}_${id.slice(0, 8)}`, model: "claude-opus-5-5", role: "assistant", stop_reason: tool ? "tool_use" : "end_turn", type: "message", usage,
      },
      apiBlockIndex: block, requestId: `req_${n}`, type: "assistant",
    });
    if (words) piece({ type: "text", text: words }, 0);
    if (!tool) continue;
    const toolUseId = `toolu_${n}_${id.slice(0, 8)}`;
    piece({ type: "tool_use", id: toolUseId, name: tool.name, input: tool.input }, 1);
    line({
      type: "user",
      message: { role: "user", content: [{ tool_use_id: toolUseId, type: "tool_result", content: tool.output, is_error: false }] },
      toolUseResult: { stdout: tool.output, stderr: "", interrupted: false },
    });
  }
  const folder = join(sandbox.home, ".claude/projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.jsonl`), `${lines.join("\n")}\n`);
  return id;
}

const sentences = [
  "The build takes what the folder holds and leaves the rest alone.",
  "Nothing here depends on the order in which the parts come.",
  "A second look shows that the cache was never asked.",
  "What the test expects is older than what the program does.",
  "The queue is bounded, and going over it is an error that says so.",
];

function filler(seed, count) {
  return Array.from({ length: count }, (_, i) => sentences[(seed + i * 3) % sentences.length]).join(" ");
}

function answer(i) {
  const parts = [`Answer number ${i}. ${filler(i, 1 + (i % 5))}`];
  if (i % 4 === 0) parts.push(`## Part ${i}`, "- one\n- two, with `code`\n- three");
  if (i % 5 === 2) parts.push(`\`\`\`go\nfunc part${i}(ctx context.Context) error {\n\tif err := ctx.Err(); err != nil {\n\t\treturn err\n\t}\n\treturn run(ctx, ${i})\n}\n\`\`\``);
  if (i % 7 === 3) parts.push("| name | value |\n| --- | --- |\n| a | 1 |\n| b | 2 |");
  parts.push(filler(i + 1, i % 4));
  return parts.filter(Boolean).join("\n\n");
}
