// The images of prompts. They are loaded when they come into view, one at a time, and the most recently seen are
// cached.

import type { Host } from "../../host/host";
import { bytesOf, dropUrl, makeUrl } from "../../lib/object-url";

/** The size of the cache in bytes, besides the visible images. */
const mostKept = 32 << 20;

export interface PictureRef {
  sessionId: string;
  messageId: string;
  index: number;
}

interface Kept {
  url: string;
  bytes: number;
  users: number;
}

export class Pictures {
  readonly #host: Host;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  readonly #most: number;

  constructor(host: Host, most = mostKept) {
    this.#host = host;
    this.#most = most;
  }

  /** The URL of an image, to be released with drop. Null if the signal aborted in time. */
  async take(ref: PictureRef, signal: AbortSignal): Promise<string | null> {
    const key = keyOf(ref);
    const read = this.#last.then(async () => {
      if (!this.#kept.has(key) && !signal.aborted) {
        const { mediaType, data } = await this.#host.call("session.attachment", { ...ref });
        const blob = new Blob([bytesOf(data)], { type: mediaType });
        this.#kept.set(key, { url: makeUrl(blob), bytes: blob.size, users: 0 });
        this.#bytes += blob.size;
      }
      const found = signal.aborted ? undefined : this.#kept.get(key);
      if (found) {
        // The most recent are at the end.
        this.#kept.delete(key);
        this.#kept.set(key, found);
        found.users++;
      }
      this.#prune();
      return found?.url ?? null;
    });
    this.#last = read.catch(() => undefined);
    return await read;
  }

  drop(ref: PictureRef): void {
    const found = this.#kept.get(keyOf(ref));
    if (found) found.users--;
    this.#prune();
  }

  #prune(): void {
    for (const [key, { url, bytes, users }] of this.#kept) {
      if (this.#bytes <= this.#most) return;
      if (users > 0) continue;
      this.#kept.delete(key);
      this.#bytes -= bytes;
      dropUrl(url);
    }
  }
}

const keyOf = ({ sessionId, messageId, index }: PictureRef) => `${sessionId} ${messageId} ${index}`;

const all = new WeakMap<Host, Pictures>();

/** The image cache of a host. */
export function picturesOf(host: Host): Pictures {
  const found = all.get(host) ?? new Pictures(host);
  all.set(host, found);
  return found;
}
