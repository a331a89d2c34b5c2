// Saves content as a file: the browser does it itself, in the window the program asks where.

import type { Host } from "./host";
import { base64Of, dropUrl, makeUrl } from "../lib/object-url";

/** Returns the file's path if the program saved it, null if the user canceled, "" if the browser does it. */
export async function saveFile(host: Host | undefined, name: string, type: string, content: string | Blob): Promise<string | null> {
  if (host?.kind === "window") {
    const params = typeof content === "string" ? { name, content } : { name, content: await base64Of(content), encoding: "base64" as const };
    return (await host.call("file.save", params)).path || null;
  }
  const url = makeUrl(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  // Not in the document: the page intercepts clicks on all links in it.
  link.click();
  setTimeout(() => dropUrl(url), 60_000);
  return "";
}
