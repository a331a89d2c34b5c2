// An in-memory Mattermost, and its users' actions.

import { join } from "node:path";
import { root } from "./sandbox.mjs";

/** Starts one. It exits when its standard input closes, so also with its parent. */
export async function startMattermost(sandbox) {
  const running = sandbox.start("mattermost", join(root, "build/bin/mattermosttest"), [], { stdin: "pipe" });
  const ready = JSON.parse(await running.line());
  const call = async (command, body = {}) => {
    const response = await fetch(`${ready.control}/${command}`, { method: "POST", headers: { authorization: `Bearer ${ready.secret}` }, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${command}: ${answer.error}`);
    return answer;
  };
  const id = (name) => ready.people[name].id ?? ready.people[name].ID;
  const ofBot = { of: ready.botId, timeout: 540_000 };
  return {
    ...ready,
    call,
    post: (name, channel, text) => call("post", { as: id(name), channel: ready.channels[channel], text }),
    reply: (name, post, text) => call("reply", { as: id(name), post, text }),
    react: (name, post, emoji) => call("react", { as: id(name), post, emoji }),
    thread: (post) => call("thread", { post }),
    posts: (channel) => call("posts", { channel: ready.channels[channel] }),
    /** Parley's latest post in a thread that contains these words, once there is one. */
    said: async (thread, contains) => (await call("wait", { ...ofBot, thread, contains })).at(-1),
    saidIn: async (channel, contains) => (await call("wait", { ...ofBot, channel: ready.channels[channel], contains })).at(-1),
    /** The environment that connects a Parley to it with its account's token. */
    env: { PARLEY_MATTERMOST_URL: ready.url, PARLEY_MATTERMOST_TOKEN: ready.token },
  };
}
