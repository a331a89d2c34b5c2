// Highlights off the page's main thread. One text at a time: the page has the queue, so that abandoned requests never
// start.

import { findRuns } from "./highlighter";

interface Ask {
  id: number;
  text: string;
  lang: string;
}

const post = (message: unknown, transfer: Transferable[]) => self.postMessage(message, { transfer });

self.addEventListener("message", (event: MessageEvent<Ask>) => {
  const { id, text, lang } = event.data;
  let runs = null;
  try {
    runs = findRuns(text, lang);
  } catch {
    // On errors, the text stays plain.
  }
  post({ id, runs }, runs ? [runs.buffer] : []);
});
post({ id: 0, runs: null }, []);
