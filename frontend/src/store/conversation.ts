// Conversations in the state: built from pages of history, trimmed as they grow. Pure functions over plain objects and
// over drafts of a store's produce().

import { unwrap } from "solid-js/store";
import type { Block, History, Message } from "../host/border.gen";
import type { Conversation, MessageState } from "./state";

/** The maximum number of main-thread messages kept of a conversation. */
export const maxMessages = 12_000;
/** The maximum size, in characters of prompts, answers, inputs and results. */
export const maxWeight = 64_000_000;

export function loadingConversation(): Conversation {
  return {
    load: "loading",
    error: "",
    order: [],
    nested: {},
    messages: {},
    blocks: {},
    toolBlocks: {},
    early: {},
    activity: null,
    hasMore: false,
    before: "",
    loadingOlder: false,
    weight: 0,
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

/**
 * Prepends an older page. Known messages stay as they are. A page that leads back to itself, or to loaded messages, is
 * treated as the last one, because otherwise loading would never end.
 */
export function prepend(conversation: Conversation, page: History): void {
  const known = unwrap(conversation).messages;
  const advances = page.before !== conversation.before && (page.messages.length === 0 || page.messages.some((m) => !known[m.id]));
  join(conversation, fromHistory(page));
  conversation.hasMore &&= advances;
}

/**
 * Prepends earlier messages. The cost is that of the added ones: existing messages are neither read nor copied, except
 * for the list of ids.
 */
export function join(conversation: Conversation, older: Conversation): void {
  const known = unwrap(conversation).messages;
  const order = unwrap(conversation).order;
  const fresh = Object.values(older.messages).filter((message) => !known[message.id]);
  const isFresh = new Set(fresh.map((message) => message.id));
  conversation.order = [...older.order.filter((id) => isFresh.has(id)), ...order];
  for (const [toolUseId, ids] of Object.entries(older.nested)) {
    const before = ids.filter((id) => isFresh.has(id));
    conversation.nested[toolUseId] = [...before, ...(unwrap(conversation).nested[toolUseId] ?? [])];
  }
  for (const message of fresh) {
    conversation.messages[message.id] = message;
    for (const id of message.blockIds) {
      const block = older.blocks[id];
      if (block) addBlock(conversation, block);
    }
  }
  conversation.hasMore = older.hasMore;
  conversation.before = older.before;
}

/** Appends a message, unless its id is known. */
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
  if (conversation.blocks[block.id]) return;
  conversation.blocks[block.id] = block;
  conversation.weight += weigh(block);
  if (block.tool) conversation.toolBlocks[block.tool.toolUseId] = block.id;
}

/**
 * Drops the oldest main-thread messages and their subagents' messages, so that keep remain. A page's cursor is the id
 * of the message that follows it, so they can be loaded again.
 */
export function trim(conversation: Conversation, keep: number): void {
  const { order } = unwrap(conversation);
  if (order.length <= keep) return;
  const from = order.length - keep;
  conversation.order = order.slice(from);
  drop(conversation, order.slice(0, from));
  conversation.hasMore = true;
  conversation.before = order[from] ?? "";
}

/** Drops the newest main-thread messages, so that keep remain. */
export function trimEnd(conversation: Conversation, keep: number): void {
  const { order } = unwrap(conversation);
  if (order.length <= keep) return;
  conversation.order = order.slice(0, keep);
  drop(conversation, order.slice(keep));
}

/** Removes the message of a prompt that was not sent after all. */
export function takeBack(conversation: Conversation, id: string): void {
  if (!unwrap(conversation).messages[id]) return;
  conversation.order = unwrap(conversation).order.filter((m) => m !== id);
  drop(conversation, [id]);
}

/** Whether a conversation has reached the memory limit. */
export function full(conversation: Conversation, more?: Conversation): boolean {
  return conversation.order.length + (more?.order.length ?? 0) >= maxMessages || conversation.weight + (more?.weight ?? 0) >= maxWeight;
}

function drop(conversation: Conversation, dropped: string[]): void {
  const plain = unwrap(conversation);
  for (let id = dropped.pop(); id !== undefined; id = dropped.pop()) {
    for (const blockId of plain.messages[id]?.blockIds ?? []) {
      const block = plain.blocks[blockId];
      if (!block) continue;
      conversation.weight = Math.max(0, plain.weight - weigh(block));
      delete conversation.blocks[blockId];
      if (!block.tool) continue;
      delete conversation.toolBlocks[block.tool.toolUseId];
      dropped.push(...(plain.nested[block.tool.toolUseId] ?? []));
      delete conversation.nested[block.tool.toolUseId];
    }
    delete conversation.messages[id];
  }
}

/** The size of a block, in characters. */
function weigh({ text, tool }: Block): number {
  let sum = 200 + (text?.length ?? 0);
  if (!tool) return sum;
  sum += tool.inputText?.length ?? 0;
  const rest: unknown[] = [tool.input, tool.structured, tool.content];
  for (let value = rest.pop(); rest.length > 0 || value !== undefined; value = rest.pop()) {
    if (typeof value === "string") sum += value.length;
    else if (typeof value === "object" && value !== null) rest.push(...Object.values(unwrap(value)));
    else sum += 8;
  }
  return sum;
}
