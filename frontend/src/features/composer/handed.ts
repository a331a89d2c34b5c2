// Files that the program reads for the page: which are accepted, and why the others are not.

import type { Handed, HandedFile, Handing, Refused } from "../../host/handing";
import { text } from "../../i18n";
import { formatBytes } from "../../lib/time";
import { type Attached, attach, maxFiles, maxImageFile } from "./attach";

/** Why nothing is accepted, "" if something is. */
export function whyNothing(handed: Handed): string {
  const words = text().composer.handed;
  if (handed.refused === "large") return words.tooMuch(formatBytes(maxImageFile));
  if (handed.refused === "picture") return words.picture;
  return handed.text || (handed.files ?? []).length > 0 ? "" : words.nothing;
}

/** Reads the files one by one; known is the number already attached. The last error covers everything rejected. */
export async function* attachHanded(handing: Handing, handed: Handed, known: number): AsyncGenerator<Attached> {
  const files = handed.files ?? [];
  const errors: string[] = [];
  for (const file of files) {
    const { attachments, error } = await one(handing, file, known);
    known += attachments.length;
    if (error && !errors.includes(error)) errors.push(error);
    yield { attachments, error: errors.join(" ") };
    if (known >= maxFiles) break;
  }
  const many = text().composer.tooMany(maxFiles);
  if (handed.more && !errors.includes(many)) yield { attachments: [], error: [...errors, many].join(" ") };
}

async function one(handing: Handing, file: HandedFile, known: number): Promise<Attached> {
  if (file.refused || !file.id) return { attachments: [], error: whyNot(file.refused ?? "unreadable", file.name) };
  // Rejected files are not read.
  if (known >= maxFiles) return await attach([new File(["x"], file.name)], known);
  try {
    return await attach([new File([await handing.read(file.id)], file.name, { type: file.mediaType ?? "" })], known);
  } catch {
    return { attachments: [], error: text().composer.unreadable(file.name) };
  }
}

function whyNot(refused: Refused, name: string): string {
  const words = text().composer;
  if (refused === "unreadable") return words.unreadable(name);
  if (refused === "large") return words.tooLarge(name, formatBytes(maxImageFile));
  return words.handed[refused](name);
}
