// Saves what the page has made or shows: the browser does it by itself, in the window
// the program asks where.

import type { Host } from "../host/host";
import { dropUrl, makeUrl } from "./object-url";

/** Returns the file's path where the program saved it, null when the person cancelled, "" where the browser does it. */
export async function saveFile(host: Host | undefined, name: string, type: string, content: string | Blob): Promise<string | null> {
  if (host?.kind === "window") {
    const params = typeof content === "string" ? { name, content } : { name, content: await base64(content), encoding: "base64" as const };
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

async function base64(content: Blob): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(content);
  });
  return url.slice(url.indexOf(",") + 1);
}
