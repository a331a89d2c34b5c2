// A conversation is sent whole, so if the API rejects something in it, every later turn fails. The fix is a copy that
// ends before that.

import type { AppState, Conversation } from "../../store/state";

export interface RejectedContent {
  kind: "image" | "empty";
  /** The last message to keep, "" for none. */
  before: string;
  /** The user's prompt of the turn that introduced it. */
  prompt: string;
}

// The API's error texts, and the CLI's versions of them.
const image =
  /could not process image|image exceeds|image dimensions exceed|does not match the provided media type|image cannot be empty|exceeds? (?:the )?api limit|many-image|image was too large/i;
const empty = /text content blocks must (?:be non-empty|contain non-whitespace)/i;

function kindOf(said: string): RejectedContent["kind"] | null {
  return image.test(said) ? "image" : empty.test(said) ? "empty" : null;
}

/** What an error complains about, null if a message is not such an error. */
function refusedFor(conversation: Conversation, messageId: string): RejectedContent["kind"] | null {
  const message = conversation.messages[messageId];
  if (message?.notice?.kind === "error") return kindOf(`${message.notice.text ?? ""}\n${message.notice.detail ?? ""}`);
  if (message?.role !== "assistant" || !message.result?.isError) return null;
  const said = message.blockIds.map((id) => conversation.blocks[id]?.text ?? "").join("\n").slice(-4000);
  return /\b400\b|invalid_request|API Error/i.test(said) ? kindOf(said) : null;
}

/** What makes every turn fail, if the last turns failed because of it. */
export function rejectedContentOf(state: AppState, sessionId: string): RejectedContent | null {
  const conversation = state.conversations[sessionId];
  if (!conversation) return null;
  const { order, messages } = conversation;
  let kind: RejectedContent["kind"] | null = null;
  let first = -1;
  // The state of the turn being scanned, from its end.
  let turn: RejectedContent["kind"] | null = null;
  for (let at = order.length - 1; at >= 0; at--) {
    const id = order[at] ?? "";
    const message = messages[id];
    turn ??= refusedFor(conversation, id);
    // Once there is an answer, earlier messages don't matter, and there may be many.
    if (message?.role === "assistant" && (!turn || (message.result && !message.result.isError))) break;
    if (message?.role !== "user" || !message.promptId) continue;
    if (!turn) break; // one that is running, or failed for another reason
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
