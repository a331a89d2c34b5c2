// Runs other programs synchronously.

import { execFileSync } from "node:child_process";

/**
 * A program's output; throws if it fails. It blocks everything, including timers, and a window manager or clipboard
 * owner may never answer: so it is killed after a timeout.
 */
export function command(program, args, options = {}) {
  return execFileSync(program, args, {
    encoding: "utf8",
    timeout: 30_000,
    killSignal: "SIGKILL",
    // Clipboard content is held by a child process, which would keep the output open.
    stdio: options.input === undefined ? ["ignore", "pipe", "ignore"] : ["pipe", "ignore", "ignore"],
    ...options,
  });
}
