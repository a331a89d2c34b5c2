// Nothing on the page may navigate: the window can't go back, and links in a conversation are untrusted. Every link is
// intercepted here.

import type { Host } from "./host";
import { safeHref } from "../lib/links";

/** Intercepts every navigation. Returns a function that stops it. */
export function guardLinks(host: Pick<Host, "openExternal">, doc: Document = document): () => void {
  const onClick = (event: Event) => {
    const link = event
      .composedPath()
      .find((n): n is Element => n instanceof Element && (n.localName === "a" || n.localName === "area"));
    if (!link) return;
    event.preventDefault();
    const safe = safeHref(link.getAttribute("href") ?? "");
    if (event.type === "click" && safe !== null) host.openExternal(safe);
  };
  const prevent = (event: Event) => event.preventDefault();
  const events: [string, (event: Event) => void][] = [
    ["click", onClick],
    // The middle button opens a tab.
    ["auxclick", onClick],
    ["submit", prevent],
    // A file dropped outside a drop target would replace the page.
    ["dragover", prevent],
    ["drop", prevent],
  ];
  for (const [name, listener] of events) doc.addEventListener(name, listener, { capture: true });
  return () => {
    for (const [name, listener] of events) doc.removeEventListener(name, listener, { capture: true });
  };
}
