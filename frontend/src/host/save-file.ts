// Saves what the page has made or shows: the browser does it by itself, in the window
// the program asks where.

import type { Host } from "./host";
import { base64Of, dropUrl, makeUrl } from "../lib/object-url";

/** Returns the file's path where the program saved it, null when the user cancelled, "" where the browser does it. */
export async function saveFile(host: Host | undefined, name: string, type: string, content: string | Blob): Promise<string | null> {
  if (host?.kind === "window") {
    const params = typeof content === "string" ? { name, content } : { name, content: await base64Of(content), encoding: "base64" as const };
    return (await host.call("file.save", params)).path || null;
  }
  const url = makeUrl(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  // Not in the document: the page catches the clicks of all links that are.
  link.click();
  setTimeout(() => dropUrl(url), 60_000);
  return "";
}
