// The back end builds the same messages from the same events, for session.history. Its golden files, recorded from the
// real CLI, test both; this tests the page's reducer against them.

import { createStore, unwrap } from "solid-js/store";
import { expect, it } from "vitest";
import { session } from "../../gallery/fixtures";
import type { Message, SessionEvent } from "../host/border.gen";
import { applyToConversation, applyToSession } from "./apply";
import { fromHistory } from "./conversation";
import { createListing } from "./listing";
import { initialState, type Conversation } from "./state";

const folder = "../../../backend/claude/transcript/testdata/golden/";
const files = import.meta.glob<string>("../../../backend/claude/transcript/testdata/golden/*", {
  query: "?raw",
  import: "default",
  eager: true,
});
const names = Object.keys(files)
  .filter((path) => path.endsWith(".events.jsonl"))
  .map((path) => path.slice(folder.length).replace(".events.jsonl", ""));

it("has cases", () => expect(names.length).toBeGreaterThan(10));

it.each(names)("%s", (name) => {
  const [state, set] = createStore(initialState());
  const store = { state, set, listing: createListing() };
  set("sessions", "s", session("s"));
  set("conversations", "s", fromHistory({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }));

  for (const line of read(`${name}.events.jsonl`).trim().split("\n")) {
    const [[event, payload] = []] = Object.entries(JSON.parse(line) as Record<string, object>);
    const e = { event, payload: { ...payload, sessionId: "s" } } as unknown as SessionEvent;
    applyToSession(store, e);
    applyToConversation(store, e);
  }

  const golden = JSON.parse(read(`${name}.messages.json`)) as Message[] | { messages: Message[] };
  const expected = Array.isArray(golden) ? golden : golden.messages;
  const conversation = unwrap(state.conversations["s"]);
  if (!conversation) throw new Error("The conversation is gone.");
  const got = [conversation.order, ...Object.values(conversation.nested)].flatMap((ids) =>
    ids.map((id) => toMessage(conversation, id)),
  );
  const threads = [undefined, ...Object.keys(conversation.nested)];
  const wanted = threads.flatMap((parent) => expected.filter((m) => (m.parentToolUseId || undefined) === parent));
  expect(wanted).toHaveLength(expected.length);
  expect(bare(got)).toEqual(bare(wanted));
});

function read(file: string): string {
  const text = files[folder + file];
  if (text === undefined) throw new Error(`There is no ${file}.`);
  return text;
}

function toMessage(conversation: Conversation, id: string): unknown {
  const { blockIds, ...message } = conversation.messages[id] ?? { blockIds: [] };
  return { ...message, blocks: blockIds.map((blockId) => conversation.blocks[blockId]) };
}

/** The value without the fields that Go omits when empty. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, v]) => v !== undefined && v !== "" && v !== false && v !== 0 && v !== null && !(Array.isArray(v) && v.length === 0))
      .map(([k, v]) => [k, bare(v)]),
  );
}
