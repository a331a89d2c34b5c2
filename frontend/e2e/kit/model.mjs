// A scripted Messages API on the loopback interface, which the real CLI uses as its model. The reply depends on the
// latest prompt and on whether there is a tool result.

import { createServer } from "node:http";

/** The token counts of every reply, so that tests know what the meter must show. */
export const usage = {
  input_tokens: 1_000,
  cache_read_input_tokens: 120_000,
  cache_creation_input_tokens: 8_500,
  output_tokens: 500,
};

export const text = (words) => ({ type: "text", text: words });
export const tool = (name, input) => ({ type: "tool_use", name, input });

/**
 * Starts a model. rules maps a word of the prompt to the blocks of the first reply and of the one after a tool's
 * result: {word: [first, after]}, or to a function that returns a reply's blocks for the number of tool results since
 * the prompt and the request's body. A block {type:"hold"} keeps the stream open until release() or the client's end; a
 * text with pieces is sent piece by piece, one every `every` ms. refuse returns why the API rejects a request's body,
 * "" if it doesn't: as a message, or as {status, type, message, headers}.
 */
export async function startModel(rules, { refuse = () => "" } = {}) {
  const held = new Set();
  const bodies = [];
  let ids = 0;

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      if (request.url.includes("count_tokens")) return json(response, { input_tokens: 100 });
      if (!request.url.startsWith("/v1/messages")) return json(response, {}, 404);
      bodies.push(body);
      const why = refuse(body);
      if (why) {
        const { status = 400, type = "invalid_request_error", message = why, headers = {} } = why;
        return json(response, { type: "error", error: { type, message } }, status, headers);
      }
      void answer(JSON.parse(body), response);
    });
  });

  async function answer(query, response) {
    const blocks = choose(query, rules).map((block) => ({ ...block, id: `toolu_${++ids}` }));
    const stop = blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
    const message = {
      id: `msg_${++ids}`, type: "message", role: "assistant", model: query.model, content: [],
      stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 },
    };
    if (!query.stream) {
      return json(response, { ...message, content: blocks.filter((b) => b.type !== "hold"), stop_reason: stop, usage });
    }
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    send({ type: "message_start", message });
    let index = 0;
    for (const block of blocks) {
      if (block.type === "hold") {
        await hold(response);
        continue;
      }
      for (const event of events(block, index++)) {
        send(event);
        if (block.every) await new Promise((resolve) => setTimeout(resolve, block.every));
      }
    }
    send({ type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } });
    send({ type: "message_stop" });
    response.end();
  }

  function hold(response) {
    return new Promise((resolve) => {
      held.add(resolve);
      response.on("close", resolve);
    });
  }

  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Whether any request contained these words. */
    heard: (words) => bodies.some((body) => body.includes(words)),
    /** The bodies of all requests, in order. */
    bodies: () => [...bodies],
    release() {
      for (const go of held) go();
      held.clear();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The environment that makes the CLI use this model and nothing else. */
export function modelEnv(model) {
  return { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-ant-local" };
}

function choose(query, rules) {
  // The CLI's own requests (a title, a summary) have no tools.
  if (!query.tools?.length) return [text("Scripted")];
  let prompt = "";
  let results = false;
  let count = 0;
  for (const message of query.messages) {
    if (message.role !== "user") continue;
    const parts = typeof message.content === "string" ? [text(message.content)] : message.content;
    const words = parts.filter((p) => p.type === "text").map((p) => p.text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trim());
    const said = words.filter(Boolean).join("\n");
    results = parts.some((p) => p.type === "tool_result");
    count += parts.filter((p) => p.type === "tool_result").length;
    if (said) {
      prompt = said;
      results = false;
      count = 0;
    }
  }
  const word = Object.keys(rules).find((key) => prompt.includes(key));
  const rule = rules[word] ?? [[text("I have no words for this.")]];
  if (typeof rule === "function") return rule(count, JSON.stringify(query));
  const [first, after] = rule;
  return results ? (after ?? [text("Done.")]) : first;
}

function* events(block, index) {
  if (block.type === "text") {
    yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
    for (const piece of block.pieces ?? block.text.split(/(?<=\s)/)) {
      yield { type: "content_block_delta", index, delta: { type: "text_delta", text: piece } };
    }
  } else {
    yield { type: "content_block_start", index, content_block: { type: "tool_use", id: block.id, name: block.name, input: {} } };
    yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: JSON.stringify(block.input) } };
  }
  yield { type: "content_block_stop", index };
}

function json(response, value, status = 200, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}
