// The reducer: applies every event to the state. It has two halves, because a session's record is always in memory, but
// its messages only while it is viewed. Both handle every event by name, so that a new one does not compile until it is
// handled. Messages must match the back end's own projection (backend/claude/transcript, Log), which session.history
// returns.

import { produce, reconcile, unwrap } from "solid-js/store";
import type { Block, Notice, SessionEvent, ShellUpdate, Status, Task, TaskUpdate, Tool, ToolResult } from "../host/border.gen";
import { isNamed } from "../lib/whose";
import { append, full, takeBack, trim } from "./conversation";
import { putRecord, type Store } from "./records";
import type { Conversation } from "./state";

export type { Store } from "./records";

type Head = Pick<Status, "sessionId" | "seq" | "turnId" | "at" | "parentToolUseId">;

/** Applies an event to the session's record and its requests. */
export function applyToSession(store: Store, event: SessionEvent): void {
  const { state, set } = store;
  const id = event.payload.sessionId;
  if (event.event === "state") {
    putRecord(store, event.payload.session);
    return;
  }
  if (event.event === "permission_resolved") {
    set(
      "questions",
      produce((questions) => {
        delete questions[event.payload.requestId];
      }),
    );
    return;
  }
  if (event.event === "permission_request") {
    set("questions", event.payload.requestId, event.payload);
    return;
  }
  if (!state.sessions[id]) return;
  switch (event.event) {
    case "ready": {
      const { cliSessionId, model, permissionMode } = event.payload;
      set("sessions", id, { cliSessionId, model, permissionMode });
      return;
    }
    case "context_update":
      // Omitted fields are unknown from now on.
      set("sessions", id, "context", reconcile(body(event.payload)));
      return;
    case "task_update":
      set("sessions", id, "tasks", (tasks) => withTask(tasks, event.payload));
      return;
    case "result":
      set("sessions", id, "totalCostUSD", event.payload.totalCostUSD);
      return;
    case "error": {
      const { code, message, hint, detail } = event.payload;
      set("sessions", id, "error", { code, message, hint, detail });
      return;
    }
    case "closed":
      set("sessions", id, "pid", 0);
      return;
    case "status":
    case "processing":
    case "user_message":
    case "text_delta":
    case "thinking_start":
    case "thinking_delta":
    case "tool_start":
    case "tool_input":
    case "tool_pending":
    case "tool_result":
    case "block_end":
    case "compaction":
    case "shell_update":
    case "done":
    case "interrupted":
      // The record doesn't contain it, or the next state event has it.
      return;
    default:
      event satisfies never;
  }
}

/** Applies an event to the session's messages, if they are in memory. */
export function applyToConversation({ state, set }: Pick<Store, "state" | "set">, event: SessionEvent): void {
  const id = event.payload.sessionId;
  const conversation = state.conversations[id];
  if (!conversation) return;
  const change = (fn: (c: Conversation) => void) => set("conversations", id, produce(fn));
  const changeBlock = (blockId: string, fn: (b: Block) => void) => {
    if (conversation.blocks[blockId]) set("conversations", id, "blocks", blockId, produce(fn));
  };
  const blockOf = (toolUseId: string) => conversation.toolBlocks[toolUseId] ?? "";

  switch (event.event) {
    case "status": {
      const { status, message, retry, resetsAt, at } = event.payload;
      if (status === "cleared") change((c) => notice(c, event.payload, { kind: "cleared" }));
      const idle = status === "idle" || status === "cleared";
      set(
        "conversations",
        id,
        "activity",
        idle ? null : { status, message: message ?? "", retry: retry ?? null, resetsAt: resetsAt ?? 0, since: at },
      );
      return;
    }
    case "user_message": {
      const p = event.payload;
      change((c) => {
        append(c, {
          ...messageHead(p),
          id: p.messageId,
          role: "user",
          promptId: p.promptId,
          synthetic: p.synthetic,
          attachments: p.attachments,
          author: p.author,
          blocks: [{ id: `${p.messageId}:0`, type: "text", text: p.text }],
        });
        // Sending a prompt scrolls to the end, so old messages can go.
        if (full(c)) trim(c, Math.floor(c.order.length / 2));
      });
      return;
    }
    case "text_delta": {
      const p = event.payload;
      if (!conversation.blocks[p.blockId]) {
        change((c) => open(c, p, p.messageId, { id: p.blockId, type: "text", text: "", open: true }));
      }
      if (p.model) set("conversations", id, "messages", p.messageId, "model", p.model);
      set("conversations", id, "blocks", p.blockId, "text", (text) => (text ?? "") + p.text);
      return;
    }
    case "thinking_start": {
      const p = event.payload;
      change((c) => open(c, p, p.messageId, { id: p.blockId, type: "thinking", text: "", open: true }));
      return;
    }
    case "thinking_delta": {
      const p = event.payload;
      changeBlock(p.blockId, (b) => {
        b.text = (b.text ?? "") + p.text;
        if (p.tokens) b.tokens = p.tokens;
      });
      return;
    }
    case "tool_start": {
      const p = event.payload;
      const tool = { toolUseId: p.toolUseId, name: p.name, server: p.server, state: "input", startedAt: p.at };
      change((c) => open(c, p, p.messageId, { id: p.blockId, type: "tool", open: true, tool }));
      const answered = conversation.early[p.toolUseId];
      if (answered) applyToConversation({ state, set }, answered);
      return;
    }
    case "tool_input":
      changeBlock(blockOf(event.payload.toolUseId), ({ tool }) => {
        if (tool && tool.input === undefined) tool.inputText = (tool.inputText ?? "") + event.payload.text;
      });
      return;
    case "tool_pending":
      changeBlock(blockOf(event.payload.toolUseId), ({ tool }) => {
        if (!tool) return;
        tool.input = event.payload.input;
        tool.inputText = "";
        if (tool.state === "input") tool.state = "pending";
      });
      return;
    case "tool_result":
      changeBlock(blockOf(event.payload.toolUseId), (b) => result(b, event.payload));
      return;
    case "block_end":
      changeBlock(event.payload.blockId, (b) => {
        b.open = false;
        b.stopped = event.payload.stopped ?? false;
        if (b.stopped && b.tool?.state === "input") cut(b.tool, "");
      });
      return;
    case "shell_update":
      change((c) => shell(c, event.payload));
      return;
    case "compaction": {
      const { phase, error, preTokens, postTokens } = event.payload;
      if (phase === "started") return;
      change((c) => notice(c, event.payload, { kind: "compaction", text: error, preTokens, postTokens }));
      return;
    }
    case "interrupted":
      change((c) => {
        stopTools(c, event.payload.turnId, "stopped");
        notice(c, event.payload, { kind: "interrupted", by: event.payload.by });
      });
      return;
    case "error": {
      const { code, message, hint, detail, resetsAt } = event.payload;
      change((c) => notice(c, event.payload, { kind: "error", code, text: message, hint, detail, resetsAt }));
      return;
    }
    case "result": {
      const { turnId, isError, stopped, costUSD, durationMs, numTurns, ttftMs, usage } = event.payload;
      const last = conversation.order.findLast((m) => {
        const message = conversation.messages[m];
        return message?.role === "assistant" && message.turnId === turnId;
      });
      if (last === undefined) return;
      set("conversations", id, "messages", last, "result", {
        isError: isError && !stopped,
        stopped,
        costUSD,
        durationMs,
        numTurns,
        ttftMs,
        usage,
      });
      return;
    }
    case "done":
      change((c) => {
        c.activity = null;
        c.early = {};
        if (event.payload.reason !== "completed") stopTools(c, event.payload.turnId, "cutOff");
        if (event.payload.waits || event.payload.reason === "dropped") takeBack(c, event.payload.turnId ?? "");
      });
      return;
    case "closed":
      set("conversations", id, "activity", null);
      return;
    case "permission_resolved": {
      const { toolUseId, outcome, said, by = "", why = "" } = event.payload;
      if (!toolUseId) return;
      // An automatic answer may arrive before the tool call it is for.
      if (!blockOf(toolUseId)) return change((c) => void (c.early[toolUseId] = event));
      changeBlock(blockOf(toolUseId), ({ tool }) => {
        if (!tool) return;
        const refusal = refusals[outcome];
        if (refusal) refuse(tool, refusal);
        if (refusal && said) tool.said = true;
        else if (outcome === "allow" && ["rule", "guard", "reviewer"].includes(by)) Object.assign(tool, { passedBy: by, passedWhy: why });
        if (isNamed(by)) tool.answeredBy = by;
      });
      return;
    }
    case "ready":
    case "processing":
    case "context_update":
    case "permission_request":
    case "task_update":
    case "state":
      return;
    default:
      event satisfies never;
  }
}

function messageHead(head: Head) {
  return { turnId: head.turnId, parentToolUseId: head.parentToolUseId, at: head.at };
}

/** Adds a block, and its message if it is new. Output of the model ends the current activity. */
function open(conversation: Conversation, head: Head, messageId: string, block: Block): void {
  if (!head.parentToolUseId) conversation.activity = null;
  if (conversation.blocks[block.id]) return;
  append(conversation, { ...messageHead(head), id: messageId, role: "assistant", blocks: [] });
  conversation.messages[messageId]?.blockIds.push(block.id);
  conversation.blocks[block.id] = block;
  if (block.tool) conversation.toolBlocks[block.tool.toolUseId] = block.id;
}

/** Adds or updates a user's shell command. */
function shell(conversation: Conversation, event: ShellUpdate): void {
  const { messageId, ...known } = body(event);
  const message = conversation.messages[messageId];
  if (message) {
    message.shell = known;
    return;
  }
  const block: Block = { id: `${messageId}:0`, type: "text", text: "", open: true };
  append(conversation, { ...messageHead(event), id: messageId, role: "shell", shell: known, blocks: [block] });
}

function notice(conversation: Conversation, head: Head, notice: Notice): void {
  append(conversation, { ...messageHead(head), id: `notice:${head.seq}`, role: "notice", blocks: [], notice });
}

// Why a tool does not run, by the outcome of its request.
const refusals: Record<string, string> = { deny: "denied", expired: "expired", withdrawn: "interrupted" };

/** Marks a tool that was not allowed to run. A finished one has its reason from the result, except if nobody answered. */
function refuse(tool: Tool, reason: string): void {
  if (!tool.content || (tool.state === "notRun" && reason === "expired")) Object.assign(tool, { state: "notRun", reason });
}

/** Marks a running tool that gets no result: it never started if its input is incomplete. */
function cut(tool: Tool, began: string): void {
  if (tool.state === "input") Object.assign(tool, { state: "notRun", reason: "interrupted" });
  else if (tool.state === "pending") tool.state = began;
}

/** Adds a result to its tool; a second result of a finished tool is dropped. */
function result(block: Block, event: ToolResult): void {
  const tool = block.tool;
  if (!tool || (tool.content && (tool.state === "done" || tool.state === "error"))) return;
  tool.content = event.content;
  tool.structured = event.structured;
  tool.durationMs = event.durationMs;
  tool.state = event.outcome;
  if (event.reason) tool.reason = event.reason;
  else delete tool.reason;
}

/** Marks the running tools of a turn that was stopped or has ended. A later result may still be more precise. */
function stopTools(conversation: Conversation, turnId: string | undefined, began: string): void {
  for (const message of Object.values(unwrap(conversation).messages)) {
    if (message.turnId !== turnId) continue;
    for (const blockId of message.blockIds) {
      const block = conversation.blocks[blockId];
      if (!block) continue;
      if (block.open) block.open = false;
      if (block.tool) cut(block.tool, began);
    }
  }
}

/** An event without the fields that all events share. */
function body<E extends Head>(event: E): Omit<E, keyof Head> {
  const { sessionId: _s, seq: _q, turnId: _t, at: _a, parentToolUseId: _p, ...rest } = event;
  return rest;
}

function withTask(tasks: Task[], update: TaskUpdate): Task[] {
  const others = tasks.filter((t) => t.taskId !== update.taskId);
  const over = ["completed", "failed", "stopped"].includes(update.status);
  return over ? others : [...others, body(update)];
}
