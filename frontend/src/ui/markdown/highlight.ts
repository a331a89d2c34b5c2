// Highlights code without blocking the page: a worker does it, one text at a time. The queue is bounded (newest first,
// the oldest are dropped), results are cached, and abandoned requests never start. A text that takes too long stays
// plain, and its worker is terminated. Without workers, short texts are highlighted while the page is idle.

import type { Runs } from "./colour";

/** Longer texts, and texts with longer lines, stay plain. */
const mostText = 400_000;
const longestLine = 4000;
/** The limit without a worker. */
const mostHere = 12_000;
const mostWaiting = 64;
const mostKept = 2_000_000;
const patience = 4000;

interface Job {
  text: string;
  lang: string;
  resolve: (runs: Runs | null) => void;
}

interface Port {
  postMessage(message: unknown): void;
  terminate(): void;
  addEventListener(type: "message", listener: (event: MessageEvent<{ id: number; runs: Runs | null }>) => void): void;
  addEventListener(type: "error", listener: () => void): void;
}

export interface HighlighterParts {
  /** Null if workers are not available. */
  startWorker: (() => Port) | null;
  /** Highlights a text on this thread. */
  here: (text: string, lang: string) => Promise<Runs | null>;
}

export class Highlighter {
  readonly #parts: HighlighterParts;
  readonly #waiting: Job[] = [];
  readonly #kept = new Map<string, Runs>();
  #size = 0;
  #worker: Port | null = null;
  #ready = false;
  #broken = false;
  #running: { id: number; job: Job } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #id = 0;

  constructor(parts: HighlighterParts) {
    this.#parts = parts;
  }

  /** The runs of a text; null if it stays plain, because the language is unknown, the text is too long, or the signal
   * aborted. */
  async highlight(text: string, lang: string, signal?: AbortSignal): Promise<Runs | null> {
    const language = lang.toLowerCase();
    if (language === "" || text.length > mostText || hasLongLine(text) || signal?.aborted) return null;
    const key = `${language}\n${text}`;
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    const runs = await new Promise<Runs | null>((resolve) => {
      const job = { text, lang: language, resolve };
      signal?.addEventListener("abort", () => this.#forget(job), { once: true });
      this.#waiting.push(job);
      if (this.#waiting.length > mostWaiting) this.#waiting.shift()?.resolve(null);
      this.#next();
    });
    if (runs) this.#keep(key, runs);
    return runs;
  }

  #forget(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    job.resolve(null);
  }

  #keep(key: string, runs: Runs): void {
    const weight = (k: string, r: Runs) => k.length + r.byteLength;
    this.#kept.set(key, runs);
    this.#size += weight(key, runs);
    for (const [oldKey, old] of this.#kept) {
      if (this.#size <= mostKept || oldKey === key) break;
      this.#kept.delete(oldKey);
      this.#size -= weight(oldKey, old);
    }
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#waiting.pop();
    if (!job) return;
    const id = ++this.#id;
    this.#running = { id, job };
    const port = this.#port();
    if (!port) {
      const found = job.text.length > mostHere ? Promise.resolve(null) : this.#parts.here(job.text, job.lang);
      void found.catch(() => null).then((runs) => this.#done(id, runs));
      return;
    }
    this.#timer = setTimeout(() => this.#giveUp(), patience * (this.#ready ? 1 : 3));
    port.postMessage({ id, text: job.text, lang: job.lang });
  }

  #port(): Port | null {
    if (this.#broken || !this.#parts.startWorker) return null;
    if (this.#worker) return this.#worker;
    try {
      const worker = this.#parts.startWorker();
      worker.addEventListener("message", ({ data }) => {
        this.#ready = true;
        if (data.id !== 0) this.#done(data.id, data.runs);
      });
      worker.addEventListener("error", () => this.#giveUp());
      this.#worker = worker;
    } catch {
      this.#broken = true;
    }
    return this.#worker;
  }

  /** Terminates a worker that is stuck or never started. */
  #giveUp(): void {
    const running = this.#running;
    this.#worker?.terminate();
    this.#worker = null;
    // If it never responded, the next one won't either.
    if (!this.#ready) this.#broken = true;
    this.#ready = false;
    if (running && this.#broken) this.#waiting.push(running.job);
    clearTimeout(this.#timer);
    this.#running = null;
    if (running && !this.#broken) running.job.resolve(null);
    this.#next();
  }

  #done(id: number, runs: Runs | null): void {
    if (this.#running?.id !== id) return;
    clearTimeout(this.#timer);
    this.#running.job.resolve(runs);
    this.#running = null;
    this.#next();
  }
}

function hasLongLine(text: string): boolean {
  let from = 0;
  for (;;) {
    const end = text.indexOf("\n", from);
    if ((end < 0 ? text.length : end) - from > longestLine) return true;
    if (end < 0) return false;
    from = end + 1;
  }
}

async function here(text: string, lang: string): Promise<Runs | null> {
  const [{ findRuns }] = await Promise.all([import("./highlighter"), idle()]);
  return findRuns(text, lang);
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: 2000 });
    else setTimeout(resolve, 50);
  });
}

const shared = new Highlighter({
  startWorker:
    typeof Worker === "function" ? () => new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" }) : null,
  here,
});

/** The runs of a text in a language; null if it stays plain. Aborting the signal cancels the request. */
export function highlight(text: string, lang: string, signal?: AbortSignal): Promise<Runs | null> {
  return shared.highlight(text, lang, signal);
}
