// Conversations as the state keeps them: built from pages of history, trimmed
// when they grow. Pure functions over plain objects.

import type { Block, History, Message } from "../host/border.gen";
import type { Conversation, MessageState } from "./state";

export function loadingConversation(): Conversation {
  return {
    load: "loading",
    error: "",
    order: [],
    nested: {},
    messages: {},
    blocks: {},
    toolBlocks: {},
    activity: null,
    hasMore: false,
    before: "",
    loadingOlder: false,
  };
}

export function fromHistory(page: History): Conversation {
  const conversation: Conversation = {
    ...loadingConversation(),
    load: "ready",
    hasMore: page.hasMore,
    before: page.before,
  };
  for (const message of page.messages) append(conversation, message);
  return conversation;
}

/** Puts an older page in front of what is there. Messages that are known stay as they are. */
export function prepend(conversation: Conversation, page: History): void {
  const older = fromHistory(page);
  conversation.order.unshift(...older.order.filter((id) => !conversation.messages[id]));
  for (const [toolUseId, ids] of Object.entries(older.nested)) {
    const fresh = ids.filter((id) => !conversation.messages[id]);
    const known = conversation.nested[toolUseId];
    if (known) known.unshift(...fresh);
    else conversation.nested[toolUseId] = fresh;
  }
  conversation.messages = { ...older.messages, ...conversation.messages };
  conversation.blocks = { ...older.blocks, ...conversation.blocks };
  conversation.toolBlocks = { ...older.toolBlocks, ...conversation.toolBlocks };
  conversation.hasMore = page.hasMore;
  conversation.before = page.before;
}

/** Adds a message at the end. One whose id is known is not added again. */
export function append(conversation: Conversation, message: Message): void {
  if (conversation.messages[message.id]) return;
  const { blocks, ...rest } = message;
  const state: MessageState = { ...rest, blockIds: blocks.map((b) => b.id) };
  conversation.messages[message.id] = state;
  for (const block of blocks) addBlock(conversation, block);
  const parent = message.parentToolUseId;
  if (!parent) conversation.order.push(message.id);
  else (conversation.nested[parent] ??= []).push(message.id);
}

function addBlock(conversation: Conversation, block: Block): void {
  conversation.blocks[block.id] = block;
  if (block.tool) conversation.toolBlocks[block.tool.toolUseId] = block.id;
}

/**
 * Forgets the oldest main-thread messages, with what their subagents said, so
 * that keep remain. The cursor of a page is the id of the message that follows
 * it, so they can be read again.
 */
export function trim(conversation: Conversation, keep: number): void {
  if (conversation.order.length <= keep) return;
  const dropped = conversation.order.splice(0, conversation.order.length - keep);
  for (let id = dropped.pop(); id !== undefined; id = dropped.pop()) {
    const message = conversation.messages[id];
    if (!message) continue;
    for (const blockId of message.blockIds) {
      const tool = conversation.blocks[blockId]?.tool;
      delete conversation.blocks[blockId];
      if (!tool) continue;
      delete conversation.toolBlocks[tool.toolUseId];
      dropped.push(...(conversation.nested[tool.toolUseId] ?? []));
      delete conversation.nested[tool.toolUseId];
    }
    delete conversation.messages[id];
  }
  conversation.hasMore = true;
  conversation.before = conversation.order[0] ?? "";
}
