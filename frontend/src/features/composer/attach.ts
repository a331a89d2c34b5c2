// Files attached to a prompt: which are accepted, and their bytes. Claude sees images; other files are stored by the
// program and mentioned by path.

import { text } from "../../i18n";
import { newId } from "../../lib/id";
import { base64Of } from "../../lib/object-url";
import { formatBytes } from "../../lib/time";
import type { DraftAttachment } from "../../store/state";
import { imageType, maxImageBytes, prepare } from "./images";

export { isPasted,  } from "../../store/pasted";

const maxBytes = 20 * 1024 * 1024;
/** An image may exceed the send limit, because it is scaled down. */
export const maxImageFile = 60 * 1024 * 1024;
export const maxFiles = 20;

export interface Attached {
  attachments: DraftAttachment[];
  /** Why some files were rejected, "" for none. */
  error: string;
}

/** Reads the files to attach; known is the number already attached. */
export async function attach(files: readonly File[], known: number): Promise<Attached> {
  const words = text().composer;
  const attachments: DraftAttachment[] = [];
  const errors: string[] = [];
  for (const file of files) {
    const name = file.name || words.image;
    if (file.size === 0) {
      errors.push(words.empty(name));
    } else if (known + attachments.length >= maxFiles) {
      errors.push(words.tooMany(maxFiles));
      break;
    } else if (file.size > maxImageFile) {
      errors.push(words.tooLarge(name, formatBytes(maxBytes)));
    } else {
      try {
        const one = await read(file, name);
        if (typeof one === "string") errors.push(one);
        else attachments.push(one);
      } catch {
        errors.push(words.unreadable(name));
      }
    }
  }
  return { attachments, error: errors.join(" ") };
}

/** One file, or why it was rejected. */
async function read(file: File, name: string): Promise<DraftAttachment | string> {
  const words = text().composer;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const type = imageType(bytes);
  if (!type) {
    if (file.size > maxBytes) return words.tooLarge(name, formatBytes(maxBytes));
    // A file with an image type that can't be sent as an image is attached as a plain file.
    const mediaType = file.type === "" || file.type.startsWith("image/") ? "application/octet-stream" : file.type;
    return { id: newId(), name: name.slice(0, 120), mediaType, bytes: file.size, data: await base64Of(file) };
  }
  const made = await prepare(file, bytes, type);
  if (!made) return words.unreadableImage(name);
  if (made.blob.size > maxImageBytes) return words.tooLarge(name, formatBytes(maxImageBytes));
  return { id: newId(), name: name.slice(0, 120), mediaType: made.type, bytes: made.blob.size, data: await base64Of(made.blob) };
}
