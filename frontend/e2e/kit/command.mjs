// Other programs, which are asked and answer at once.

import { execFileSync } from "node:child_process";

/**
 * What a program prints; throws when it fails. Nothing else runs meanwhile, no timer
 * either, and a window manager or the owner of a clipboard may never answer: so it is
 * ended when it takes long.
 */
export function command(program, args, options = {}) {
  return execFileSync(program, args, {
    encoding: "utf8",
    timeout: 30_000,
    killSignal: "SIGKILL",
    // What is handed to a clipboard is kept by a child, which would hold the output open.
    stdio: options.input === undefined ? ["ignore", "pipe", "ignore"] : ["pipe", "ignore", "ignore"],
    ...options,
  });
}
