// Files that go with a prompt: which are taken, and their bytes. The model sees
// images; other files are kept by the program and mentioned by their path.

import { text } from "../../i18n";
import { newId } from "../../lib/id";
import { base64Of } from "../../lib/object-url";
import { formatBytes } from "../../lib/time";
import type { DraftAttachment } from "../../store/state";
import { imageType, maxImageBytes, prepare } from "./images";

export { isPasted,  } from "../../store/pasted";

const maxBytes = 20 * 1024 * 1024;
/** An image may be larger than can be sent: it is made smaller. */
export const maxImageFile = 60 * 1024 * 1024;
export const maxFiles = 20;

export interface Attached {
  attachments: DraftAttachment[];
  /** Why some files were not taken, "" when all were. */
  error: string;
}

/** Reads the files that a prompt can carry; known is how many it carries already. */
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

/** One file, or why it is not taken. */
async function read(file: File, name: string): Promise<DraftAttachment | string> {
  const words = text().composer;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const type = imageType(bytes);
  if (!type) {
    if (file.size > maxBytes) return words.tooLarge(name, formatBytes(maxBytes));
    // What is called an image and is none that can be sent is a file like any other.
    const mediaType = file.type === "" || file.type.startsWith("image/") ? "application/octet-stream" : file.type;
    return { id: newId(), name: name.slice(0, 120), mediaType, bytes: file.size, data: await base64Of(file) };
  }
  const made = await prepare(file, bytes, type);
  if (!made) return words.unreadableImage(name);
  if (made.blob.size > maxImageBytes) return words.tooLarge(name, formatBytes(maxImageBytes));
  return { id: newId(), name: name.slice(0, 120), mediaType: made.type, bytes: made.blob.size, data: await base64Of(made.blob) };
}
