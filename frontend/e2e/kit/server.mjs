// A headless Parley, started as a user would.

import { join } from "node:path";
import { root } from "./sandbox.mjs";

/** Starts one and returns it with the data in its first line. */
export async function startServer(sandbox, { name = "serve", args = [], env = {}, program = join(root, "build/bin/parley-server") } = {}) {
  const running = sandbox.start(name, program, ["serve", "--data", sandbox.data, ...args], {
    env: sandbox.env(env),
  });
  const { url, token } = JSON.parse(await running.line());
  return { running, url, token, link: `${url}#token=${token}` };
}
