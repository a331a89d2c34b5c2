// Content dragged from the page into another program arrives there as a file.

import type { Host } from "./host";
import { fileName } from "../lib/file-name";

/** Whether the surface supports that. */
export const canDragOut = (host: Host | undefined): boolean => host?.handing !== undefined;

/** Adds a file to a starting drag: one created from content, or one on disk. */
export function dragOut(host: Host | undefined, event: DragEvent, file: { name: string; content: Blob } | { path: string }): void {
  const address = "path" in file ? `file://${file.path.split("/").map(encodeURIComponent).join("/")}` : host?.handing?.lend(fileName(file.name, file.content.type), file.content);
  if (!address || !event.dataTransfer) return event.preventDefault();
  event.dataTransfer.setData("text/uri-list", `${address}\r\n`);
  event.dataTransfer.effectAllowed = "copy";
}
