// Highlights away from the page's own thread. One text at a time: the page keeps
// the queue, so that what nobody waits for any longer is never begun.

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
    // Such a text stays plain.
  }
  post({ id, runs }, runs ? [runs.buffer] : []);
});
post({ id: 0, runs: null }, []);
