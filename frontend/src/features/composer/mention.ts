// Completes mentions of files, folders and agents while typing.

import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import type { Command } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import type { Models } from "../choices/model";

/** How far before the caret a mention may start. */
const longest = 500;
/** Retry after this long while a folder is still being read. */
const again = 250;
const mostAgents = 6;

/** A file, a folder or a kind of subagent. */
export type Mentionable = { kind: "file" | "folder"; path: string } | { kind: "agent"; path: string; about: string };

export interface Typed {
  /** The position of the "@". */
  from: number;
  quoted: boolean;
  words: string;
}

export interface Mention {
  open: Accessor<boolean>;
  matches: Accessor<readonly Mentionable[]>;
  at: Accessor<number>;
  setAt(at: number): void;
  scanning: Accessor<boolean>;
  truncated: Accessor<boolean>;
  /** Why there are no results, "" if there are. */
  problem: Accessor<string>;
  /** Handles a key of the box; true if the list used it. */
  key(event: KeyboardEvent): boolean;
  accept(what: Mentionable, deeper?: boolean): void;
}

interface Answer {
  words: string;
  files: Mentionable[];
  scanning: boolean;
  truncated: boolean;
  problem: string;
}

const nothing: Answer = { words: "", files: [], scanning: false, truncated: false, problem: "" };

/** The part of a mention before the caret, null for none. */
export function typed(text: string, caret: number): Typed | null {
  const start = Math.max(0, caret - longest);
  const before = text.slice(start, caret);
  const quoted = /(?:^|[\s([{,;:])@"([^"]*)$/.exec(before);
  if (quoted) return { from: start + before.lastIndexOf('@"'), quoted: true, words: quoted[1] ?? "" };
  const plain = /(?:^|[\s([{,;:])@([^\s"]*)$/.exec(before);
  if (!plain) return null;
  return { from: caret - (plain[1] ?? "").length - 1, quoted: false, words: plain[1] ?? "" };
}

/** A path in the CLI's mention syntax, or plain text if it can't be expressed. */
export function mentionOf(path: string): string {
  if (/^[\p{L}\p{N}_~./-]*[\p{L}\p{N}_/-]$/u.test(path)) return `@${path}`;
  if (!path.includes('"')) return `@"${path}"`;
  return /\s/.test(path) ? JSON.stringify(path) : `@${path}`;
}

export function createMention(
  host: Host,
  sessionId: Accessor<string>,
  models: Models,
  box: { text: Accessor<string>; caret: Accessor<number>; replace(from: number, to: number, text: string): void },
): Mention {
  const [dismissed, setDismissed] = createSignal(-1);
  const [at, setAt] = createSignal(0);
  const [answer, setAnswer] = createSignal<Answer>(nothing);
  let asked = 0;
  /** A key that chose before the answer arrived: it means the answer's first entry, not the stale one. */
  let early = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const now = createMemo(() => (box.text().startsWith("!") ? null : typed(box.text(), box.caret())), undefined, {
    equals: (a, b) => a?.from === b?.from && a?.words === b?.words && a?.quoted === b?.quoted,
  });
  const agents = createMemo((): Mentionable[] => {
    const words = now()?.words.toLowerCase().replace(/^agent-/, "");
    if (words === undefined || /[/.~]/.test(words)) return [];
    const all = (models.list()?.commands ?? []).filter((c) => c.kind === "agent");
    return all.filter((c) => c.name.toLowerCase().includes(words)).slice(0, mostAgents).map(fromAgent);
  });
  const matches = createMemo((): readonly Mentionable[] => {
    const { files } = answer();
    // A single prefix more likely means a file.
    return now()?.words.startsWith("agent-") ? [...agents(), ...files] : [...files, ...agents()];
  });
  const open = () => {
    const mention = now();
    return mention !== null && dismissed() !== mention.from && (matches().length > 0 || answer().scanning || answer().problem !== "" || mention.words.length < 24);
  };

  async function ask(id: string, words: string): Promise<void> {
    const serial = ++asked;
    clearTimeout(timer);
    try {
      const found = await host.call("file.find", { sessionId: id, query: words, limit: 50 });
      if (serial !== asked) return;
      const files = found.files.map((f): Mentionable => ({ kind: f.folder ? "folder" : "file", path: f.path }));
      setAnswer({ words, files, scanning: found.scanning, truncated: found.truncated, problem: "" });
      const first = matches()[at()];
      if (early !== "" && first) accept(first, early === "Tab");
      early = "";
      if (found.scanning) timer = setTimeout(() => void ask(id, words), again);
    } catch (error) {
      if (serial === asked) setAnswer({ ...nothing, words, problem: messageOf(error) });
    }
  }

  createEffect(
    on([sessionId, now], ([id, mention], before) => {
      setAt(0);
      early = "";
      if (!mention) {
        asked++;
        clearTimeout(timer);
        setAnswer(nothing);
        setDismissed(-1);
        return;
      }
      if (!before?.[1]) models.ask();
      void ask(id, mention.words);
    }),
  );

  function accept(what: Mentionable, deeper = false): void {
    const mention = now();
    if (!mention) return;
    const to = box.caret();
    if (what.kind === "folder" && deeper) {
      // The quote stays open, so that the folder's content is offered next.
      const path = `${what.path}/`;
      const open = mention.quoted || !mentionOf(path).startsWith(`@${path}`) ? `@"${path}` : `@${path}`;
      box.replace(mention.from, to, open);
      return;
    }
    const path = what.kind === "folder" ? `${what.path}/` : what.path;
    box.replace(mention.from, to, `${what.kind === "agent" ? `@agent-${what.path}` : mentionOf(path)} `);
  }

  return {
    open,
    matches,
    at,
    setAt,
    scanning: () => answer().scanning,
    truncated: () => answer().truncated,
    problem: () => answer().problem,
    accept,
    key(event) {
      if (!open() || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
      const { length } = matches();
      const chosen = matches()[at()];
      if (event.key === "Escape") setDismissed(now()?.from ?? -1);
      else if ((event.key === "Tab" || event.key === "Enter") && answer().words !== now()?.words && answer().problem === "") early = event.key;
      else if (length === 0) return false;
      else if (event.key === "ArrowDown") setAt((at() + 1) % length);
      else if (event.key === "ArrowUp") setAt((at() - 1 + length) % length);
      else if ((event.key === "Tab" || event.key === "Enter") && chosen) accept(chosen, event.key === "Tab");
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

const fromAgent = (c: Command): Mentionable => ({ kind: "agent", path: c.name, about: c.description });
