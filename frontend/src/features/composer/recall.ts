// Recalls earlier prompts, with the arrow keys in the box or by search: those of the session, then those of other
// sessions in its folder. Prompts in memory come first; older ones are loaded on demand.

import type { Author } from "../../host/border.gen";
import type { Host } from "../../host/host";
import { fold } from "../../lib/fold";
import { isOwn } from "../../lib/whose";
import type { AppState } from "../../store/state";

/** The number of prompts offered or read at a time. */
const most = 50;
/** The number of prompts kept. */
const mostKept = 2000;
/** The maximum number of pages a search reads when it finds too little. */
const mostPages = 20;

export interface Recall {
  /** The prompt before the one in the box, once loaded; undefined for none. */
  older(shown: string): string | undefined | Promise<string | undefined>;
  /** The prompt after it, "" after the newest; undefined if the box shows none of them. */
  newer(shown: string): string | undefined;
  /** Full prompts that contain the words, including colleagues': those of the session first, then those of its folder. */
  find(words: string): Promise<string[]>;
  /** The author of a found prompt, if it was a Mattermost user and not the user as well. */
  authorOf(prompt: string): Author | undefined;
}

/** A session's loaded prompts, and where to continue; "" if there are no more. */
interface Far {
  sessionId: string;
  texts: string[];
  before: string | null;
  reading: Promise<void> | null;
}

export function createRecall(host: Host, state: AppState, sessionId: () => string): Recall {
  let at = -1;
  let far: Far = { sessionId: "", texts: [], before: null, reading: null };

  /** Mattermost authors of the found prompts, except for prompts the user wrote as well. */
  const authors = new Map<string, Author>();
  let own = new Set<string>();

  /** A session's prompts in memory, newest first; those of Mattermost colleagues only on request. */
  function saidIn(id: string, byAll = false): string[] {
    const conversation = state.conversations[id];
    if (!conversation) return [];
    const texts = conversation.order.flatMap((message) => {
      const said = conversation.messages[message];
      if (said?.shell) return [`!${said.shell.command}`];
      if (said?.role !== "user" || said.synthetic || (!isOwn(said.author) && !byAll)) return [];
      return said.blockIds.flatMap((block) => conversation.blocks[block]?.text ?? []).slice(0, 1);
    });
    return texts.filter((t) => t.trim() !== "").toReversed();
  }

  /** Newest first, without duplicates: the session's prompts, then those in memory from its folder. */
  function near(byAll = false): string[] {
    const id = sessionId();
    const cwd = state.sessions[id]?.cwd;
    const others = Object.values(state.sessions)
      .filter((s) => s.id !== id && s.cwd === cwd && state.conversations[s.id])
      .toSorted((a, b) => b.lastActivityAt - a.lastActivityAt);
    return [...new Set([id, ...others.map((s) => s.id)].flatMap((each) => saidIn(each, byAll)))];
  }

  function page(words: string, before: string) {
    return host.call("prompt.history", { sessionId: sessionId(), limit: most, ...(words ? { words } : {}), ...(before ? { before } : {}) });
  }

  /** The loaded prompts of the current session. */
  function kept(): Far {
    if (far.sessionId !== sessionId()) far = { sessionId: sessionId(), texts: [], before: null, reading: null };
    return far;
  }

  /** The session's prompts, then the loaded ones, then those of other sessions. */
  function all(): string[] {
    return [...new Set([...saidIn(sessionId()), ...kept().texts, ...near()])];
  }

  /** Loads more, unless there are none. */
  function readOn(): Promise<void> | null {
    const mine = kept();
    if (mine.before === "" || mine.texts.length >= mostKept) return null;
    mine.reading ??= page("", mine.before ?? "")
      .then(
        (read) => {
          mine.texts = [...new Set([...mine.texts, ...read.prompts.filter((p) => isOwn(p.author)).map((p) => p.text)])];
          mine.before = read.before;
        },
        () => {
          mine.before = ""; // prompts in memory are available anyway
        },
      )
      .finally(() => {
        mine.reading = null;
      });
    return mine.reading;
  }

  return {
    older(shown) {
      if (shown === "") {
        at = -1;
        far = { sessionId: "", texts: [], before: null, reading: null };
      } else if (all()[at] !== shown) return undefined;
      const step = (): string | undefined | Promise<string | undefined> => {
        const known = all();
        if (at >= 0) at = known.indexOf(shown); // loaded prompts may have shifted it
        const next = known[at + 1];
        // The session's last known prompt may have older ones after it.
        const own = saidIn(sessionId()).length + kept().texts.length;
        if (next !== undefined && at + 1 < own) {
          at++;
          return next;
        }
        const reading = readOn();
        if (reading) return reading.then(step);
        if (next !== undefined) at++;
        return next;
      };
      return step();
    },
    newer(shown) {
      const known = all();
      if (at < 0 || shown === "" || known[at] !== shown) return undefined;
      at--;
      return at < 0 ? "" : known[at];
    },
    authorOf(prompt) {
      if (own.has(prompt) || near().includes(prompt)) return undefined;
      for (const { messages, blocks } of Object.values(state.conversations)) {
        const said = Object.values(messages).find((message) => message.author && message.blockIds.some((id) => blocks[id]?.text === prompt));
        if (said) return said.author;
      }
      return authors.get(prompt);
    },
    async find(words) {
      const wanted = fold(words).split(/\s+/).filter(Boolean);
      own = new Set(near());
      const found = new Set(near(true).filter((prompt) => wanted.every((w) => fold(prompt).includes(w))));
      let before = "";
      for (let pages = 0; found.size < most && pages < mostPages; pages++) {
        const read = await page(words.trim(), before);
        for (const { text, author } of read.prompts) {
          if (author) authors.set(text, author);
          else own.add(text);
          found.add(text);
        }
        before = read.before;
        if (before === "") break;
      }
      return [...found].slice(0, most);
    },
  };
}
