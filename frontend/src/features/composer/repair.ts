// A conversation that the API refuses for something in it is refused with every later
// turn, because it is sent whole. It goes on in a copy that ends before that.

import type { AppState, Conversation } from "../../store/state";

export interface Poison {
  kind: "image" | "empty";
  /** The last message that is taken over, "" when there is none. */
  before: string;
  /** What the user said in the turn that brought it in. */
  prompt: string;
}

// The API's own words, and what the CLI makes of them.
const image =
  /could not process image|image exceeds|image dimensions exceed|does not match the provided media type|image cannot be empty|exceeds? (?:the )?api limit|many-image|image was too large/i;
const empty = /text content blocks must (?:be non-empty|contain non-whitespace)/i;

function kindOf(said: string): Poison["kind"] | null {
  return image.test(said) ? "image" : empty.test(said) ? "empty" : null;
}

/** What an error says of it, null when a message is none, or one of another kind. */
function refusedFor(conversation: Conversation, messageId: string): Poison["kind"] | null {
  const message = conversation.messages[messageId];
  if (message?.notice?.kind === "error") return kindOf(`${message.notice.text ?? ""}\n${message.notice.detail ?? ""}`);
  if (message?.role !== "assistant" || !message.result?.isError) return null;
  const said = message.blockIds.map((id) => conversation.blocks[id]?.text ?? "").join("\n").slice(-4000);
  return /\b400\b|invalid_request|API Error/i.test(said) ? kindOf(said) : null;
}

/** What makes every turn fail, when the last turns failed for it. */
export function poisonOf(state: AppState, sessionId: string): Poison | null {
  const conversation = state.conversations[sessionId];
  if (!conversation) return null;
  const { order, messages } = conversation;
  let kind: Poison["kind"] | null = null;
  let first = -1;
  // Of the turn that is being looked at, from its end.
  let turn: Poison["kind"] | null = null;
  for (let at = order.length - 1; at >= 0; at--) {
    const id = order[at] ?? "";
    const message = messages[id];
    turn ??= refusedFor(conversation, id);
    // Where there was an answer, what came before it matters no more, and may be long.
    if (message?.role === "assistant" && (!turn || (message.result && !message.result.isError))) break;
    if (message?.role !== "user" || !message.promptId) continue;
    if (!turn) break; // one that is under way, or failed for something else
    kind = turn;
    first = at;
    turn = null;
  }
  if (!kind) return null;
  const prompt = messages[order[first] ?? ""];
  const before = order.slice(0, first).findLast((id) => ["user", "assistant"].includes(messages[id]?.role ?? ""));
  return {
    kind,
    before: before ?? "",
    prompt: (prompt?.blockIds ?? []).map((id) => conversation.blocks[id]?.text ?? "").join("\n\n"),
  };
}
