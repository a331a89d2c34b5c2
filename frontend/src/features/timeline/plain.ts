// A message as plain text, for when nothing more elaborate is wanted.

import { text } from "../../i18n";
import type { Block, Message } from "../../host/border.gen";

export function senderOf(message: Pick<Message, "role" | "parentToolUseId" | "synthetic">): string {
  const names = text().timeline.safe.senders;
  if (message.role === "notice") return names.note;
  if (message.role === "user") return message.synthetic ? names.cli : names.you;
  return message.parentToolUseId ? names.subagent : names.model;
}

export function plainText(message: Message): string {
  const notice = message.notice;
  if (notice) return [notice.kind, notice.text, notice.hint, notice.detail].filter(Boolean).join("\n");
  return message.blocks.map(blockText).filter(Boolean).join("\n\n");
}

function blockText({ type, text: said = "", tool }: Block): string {
  if (!tool) return type === "thinking" ? text().timeline.safe.thinking(said) : said;
  const input = tool.input === undefined ? (tool.inputText ?? "") : JSON.stringify(tool.input);
  const output = (tool.content ?? []).map((part) => part.text ?? `(${part.type})`).join("\n");
  return [`[${tool.name}, ${tool.state}] ${input}`, output].filter(Boolean).join("\n");
}
