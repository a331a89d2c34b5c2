// Images that go with a prompt: which are taken, and their bytes.

import { newId } from "../../lib/id";
import type { DraftAttachment } from "../../store/state";

const maxBytes = 5 * 1024 * 1024;
const maxImages = 10;
const mediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const accept = mediaTypes.join(",");

export interface Attached {
  attachments: DraftAttachment[];
  /** Why some files were not taken, "" when all were. */
  error: string;
}

/** Reads the files that a prompt can carry; known is how many it carries already. */
export async function attach(files: readonly File[], known: number): Promise<Attached> {
  const attachments: DraftAttachment[] = [];
  const errors: string[] = [];
  for (const file of files) {
    const name = file.name || "image";
    if (!mediaTypes.includes(file.type)) {
      errors.push(`${name} is not an image of a kind that can be sent (PNG, JPEG, GIF, WebP).`);
    } else if (file.size > maxBytes) {
      errors.push(`${name} is larger than 5 MB.`);
    } else if (file.size === 0) {
      errors.push(`${name} is empty.`);
    } else if (known + attachments.length >= maxImages) {
      errors.push(`A prompt can carry ${maxImages} images.`);
      break;
    } else {
      try {
        const data = await base64(file);
        attachments.push({ id: newId(), name, mediaType: file.type, bytes: file.size, data });
      } catch {
        errors.push(`${name} could not be read.`);
      }
    }
  }
  return { attachments, error: errors.join(" ") };
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error("The file could not be read."));
    reader.readAsDataURL(file);
  });
}
