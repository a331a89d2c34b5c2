// A long pasted text: attached to a draft like a file, and sent as text.

import { newId } from "../lib/id";
import type { DraftAttachment } from "./state";

/** The media type that marks such an attachment. */
const pastedType = "text/x-pasted";
/** Longer texts are attached when pasted. */
const longChars = 10_000;
const longLines = 200;

export const isPasted = (attachment: DraftAttachment): boolean => attachment.mediaType === pastedType;

/** Whether a text is so long that it would hide the prompt around it. */
export function isLong(text: string): boolean {
  return text.length > longChars || countLines(text) > longLines;
}

export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

export function toAttachment(text: string, name: string): DraftAttachment {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { id: newId(), name, mediaType: pastedType, bytes: bytes.length, data: btoa(binary) };
}

export function textOf(attachment: DraftAttachment): string {
  return new TextDecoder().decode(Uint8Array.from(atob(attachment.data), (c) => c.charCodeAt(0)));
}

/** The text of a prompt including its pasted texts, and its other attachments. */
export function unfold(text: string, attachments: readonly DraftAttachment[]): { text: string; attachments: DraftAttachment[] } {
  const pasted = attachments.filter(isPasted).map((a) => `<pasted-text>\n${textOf(a).replace(/\n$/, "")}\n</pasted-text>`);
  const words = text.trim() === "" ? pasted : [text, ...pasted];
  return { text: pasted.length === 0 ? text : words.join("\n\n"), attachments: attachments.filter((a) => !isPasted(a)) };
}
