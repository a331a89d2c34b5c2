// Reads a whole conversation page by page, from the end backwards.

import type { Message } from "../../host/border.gen";
import type { Host } from "../../host/host";

const PAGE = 200;
/** A larger file would be unusable. */
export const mostMessages = 100_000;
const MOST_CHARACTERS = 200_000_000;

export class TooLong extends Error {}

/** Returns all messages, the oldest first. Stops when the signal does; throws TooLong and HostErrors. */
export async function readAll(
  host: Pick<Host, "call">,
  sessionId: string,
  progress: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<Message[]> {
  const pages: Message[][] = [];
  const known = new Set<string>();
  let before = "";
  let size = 0;
  for (;;) {
    const page = await host.call("session.history", { sessionId, limit: PAGE, before });
    signal.throwIfAborted();
    // A conversation that changes while it is read may return a message twice.
    const fresh = page.messages.filter((m) => !known.has(m.id));
    for (const message of fresh) {
      known.add(message.id);
      size += weight(message);
    }
    pages.push(fresh);
    progress(known.size, Math.max(page.total ?? 0, known.size));
    if (known.size > mostMessages || size > MOST_CHARACTERS) throw new TooLong();
    if (!page.hasMore || page.before === "" || page.before === before) break;
    ({ before } = page);
  }
  return pages.toReversed().flat();
}

function weight(message: Message): number {
  let n = 100;
  for (const { text, tool } of message.blocks) {
    n += text?.length ?? 0;
    for (const part of tool?.content ?? []) n += part.text?.length ?? 0;
  }
  return n;
}
