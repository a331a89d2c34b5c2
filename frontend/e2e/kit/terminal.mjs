// Conversations of the plain CLI, as stored on disk.

import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "./model.mjs";

/** One conversation, started an hour ago, still empty. */
export class Terminal {
  #last = null;
  #at = Date.now() - 3_600_000;

  constructor(sandbox, cwd) {
    this.id = randomUUID();
    this.cwd = cwd;
    const folder = join(sandbox.home, ".claude/projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"));
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, `${this.id}.jsonl`);
    writeFileSync(this.path, "");
  }

  /** Adds one exchange. */
  say(prompt, answer) {
    const lines = [
      { type: "user", message: { role: "user", content: prompt } },
      {
        type: "assistant",
        message: {
          id: `msg_${randomUUID()}`, type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [text(answer)],
          stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
        },
      },
    ].map((line) => {
      const uuid = randomUUID();
      const whole = {
        parentUuid: this.#last, isSidechain: false, userType: "external", cwd: this.cwd, sessionId: this.id, version: "2.1.329",
        gitBranch: "", uuid, timestamp: new Date((this.#at += 1000)).toISOString(), ...line,
      };
      this.#last = uuid;
      return `${JSON.stringify(whole)}\n`;
    });
    appendFileSync(this.path, lines.join(""));
  }
}
