// What an export contains of a message, in any format.

import type { Block, Message, Session, Tool } from "../../host/border.gen";
import { locale, text } from "../../i18n";
import { pretty } from "../../lib/shape";
import { describeTool, doubt, endedVerb } from "../../lib/tools";
import { showHidden } from "../../lib/visible";

export interface Options {
  tools: "none" | "line" | "full";
  thinking: boolean;
}

export type Part =
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | { kind: "tool"; line: string; input: string; output: string };

export interface Entry {
  who: string;
  /** Whether the user wrote it. */
  own: boolean;
  at: number;
  /** Whether it is part of a subagent's work. */
  nested: boolean;
  parts: Part[];
}

export interface Head {
  title: string;
  folder: string;
  at: number;
}

export function headOf(session: Pick<Session, "title" | "cwd">): Head {
  return { title: session.title || text().exporting.doc.untitled, folder: session.cwd, at: Date.now() };
}

/** The entries of a conversation; messages that are empty with these options are left out. */
export function entriesOf(messages: readonly Message[], cwd: string, options: Options): Entry[] {
  return messages
    .map((message) => ({
      who: sender(message),
      own: message.role === "user" && !message.synthetic,
      at: message.at,
      nested: Boolean(message.parentToolUseId),
      parts: partsOf(message, cwd, options),
    }))
    .filter((entry) => entry.parts.length > 0);
}

function sender(message: Message): string {
  const words = text().exporting.doc;
  if (message.role === "notice") return words.note;
  if (message.role === "user") return message.synthetic ? words.cli : words.you;
  return message.parentToolUseId ? words.subagent : words.model;
}

function partsOf(message: Message, cwd: string, options: Options): Part[] {
  const parts: Part[] = [];
  const { notice } = message;
  if (notice) parts.push({ kind: "text", text: [notice.text || notice.kind, notice.hint, notice.detail].filter(Boolean).join("\n\n") });
  for (const block of message.blocks) {
    const part = partOf(block, cwd, options);
    if (part) parts.push(part);
  }
  for (const file of message.attachments ?? []) parts.push({ kind: "text", text: `[${file.name}]` });
  return parts;
}

function partOf({ type, text: said = "", tool }: Block, cwd: string, options: Options): Part | null {
  if (tool) return options.tools === "none" ? null : toolPart(tool, cwd, options.tools === "full");
  if (said.trim() === "") return null;
  if (type === "thinking") return options.thinking ? { kind: "thinking", text: said } : null;
  return { kind: "text", text: said };
}

function toolPart(tool: Tool, cwd: string, full: boolean): Part {
  const words = text().exporting.doc;
  const { verb, object } = describeTool(tool.name, tool.input, cwd);
  const states: Record<string, string> = words.states;
  const line = [showHidden(`${endedVerb(tool, verb)} ${object}`.trim()), states[tool.state], tool.state === "notRun" ? doubt(tool) : ""].filter(Boolean).join(", ");
  const output = (tool.content ?? []).map((part) => part.text ?? `(${words.image})`).join("\n");
  return { kind: "tool", line, input: full ? pretty(tool.input) || (tool.inputText ?? "") : "", output: full ? output : "" };
}

/** The date and time in the user's language. */
export function when(at: number): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(at);
}
