// What the palette offers for what is typed: commands, sessions, workspaces, files of
// the session on the page and settings, the best match first; with nothing typed, what
// was used last.

import { go, snapshot } from "fuzzysort";
import { createEffect, createMemo, createSignal, on, onCleanup, untrack } from "solid-js";
import { text } from "../../i18n";
import { ago } from "../../lib/ago";
import { baseName, tilde } from "../../lib/path";
import type { App } from "../../store/context";
import type { Command } from "./commands";

export type Target =
  | { kind: "session"; id: string; title: string; about: string }
  | { kind: "workspace"; id: string; title: string; about: string }
  | { kind: "command"; id: string; title: string; about: string; command: Command }
  | { kind: "file"; id: string; title: string; about: string };

export interface Match {
  target: Target;
  /** The title in pieces; those at odd places are what was typed. */
  pieces: string[];
}

const most = 40;
/** With nothing typed, so many of each; of commands that are not for the page, all. */
const recent = { commands: 6, sessions: 8, workspaces: 4 };
/** Where matches are alike, what does something here goes first, then where to go. */
const weights = { view: 1, session: 0.98, workspace: 0.95, program: 0.95, file: 0.92, setting: 0.9 };
/** A name says more than what stands beside it, and that more than another word for it. */
const aboutWeight = 0.7;
const alsoWeight = 0.65;
/** What was used last counts, where matches are alike. */
const recency = 0.1;

export function createSwitcherModel(app: App, commands: () => Command[]) {
  const { state, listing } = app;
  const [text, setText] = createSignal("");
  const [active, setActive] = createSignal(0);

  /** Everything there is, when the switcher is opened or the sessions have been read: it does not change under the user's hands. */
  const known = createMemo(() => {
    void state.loaded;
    const targets = untrack(() => collect(app, commands()));
    return { targets, prepared: snapshot(targets, { keys: ["title", "about", alsoOf] }) };
  });

  const named = createMemo<Match[]>(() => {
    const query = text().trim();
    const { targets, prepared } = known();
    if (query === "") return begin(targets, untrack(() => state.current)).map((target) => ({ target, pieces: [target.title] }));
    const place = new Map(targets.map((target, i) => [target, 1 - i / targets.length]));
    const found = go(query, prepared, {
      limit: most,
      threshold: 0.3,
      scoreFn: (result) => {
        const score = Math.max(result[0]?.score ?? 0, aboutWeight * (result[1]?.score ?? 0), alsoWeight * (result[2]?.score ?? 0), aboutWeight * result.score);
        return score * weights[groupOf(result.obj)] * (1 - recency + recency * (place.get(result.obj) ?? 0));
      },
    });
    return found.map((result) => {
      const title = result[0];
      const marked = title && title.score > 0 ? title.highlight((piece) => piece) : [result.obj.title];
      return { target: result.obj, pieces: oddly(marked, title?.indexes[0] === 0) };
    });
  });
  // The files come a moment later. Rows that are there already stay: a click on one must not be lost.
  const files = createFiles(app, text);
  const matches = createMemo<Match[]>(() => [...named(), ...files()]);

  return {
    text,
    setText(next: string) {
      setText(next);
      setActive(0);
    },
    matches,
    active: () => Math.min(active(), matches().length - 1),
    setActive,
    move(by: number) {
      const n = matches().length;
      if (n > 0) setActive((Math.min(active(), n - 1) + by + n) % n);
    },
    /** A session's record, for its state; undefined once it is gone. */
    session: (id: string) => (listing.get(id) ? state.sessions[id] : undefined),
  };
}

/** The part of the list that a target belongs to. */
export type Group = "session" | "workspace" | "file" | Command["group"];
export const groupOf = (target: Target): Group => (target.kind === "command" ? target.command.group : target.kind);
const alsoOf = (target: Target) => (target.kind === "command" ? target.command.also : "");

/** So many files, which are looked for once nothing was typed for a moment, by at least so many letters. */
const mostFiles = 6;
const pause = 120;
const leastLetters = 2;

/** The files of the session on the page that what was typed may mean. */
function createFiles({ host, state }: App, text: () => string): () => Match[] {
  const [files, setFiles] = createSignal<Match[]>([]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  onCleanup(() => clearTimeout(timer));
  createEffect(
    on(text, (typed) => {
      clearTimeout(timer);
      const serial = ++asked;
      const query = typed.trim();
      const sessionId = state.current;
      setFiles([]);
      if (sessionId === null || query.length < leastLetters) return;
      timer = setTimeout(() => {
        host.call("file.find", { sessionId, query, limit: mostFiles }).then(
          (found) => {
            if (serial !== asked) return;
            setFiles(
              found.files
                .filter(({ folder }) => !folder)
                .map(({ path }) => ({ target: { kind: "file", id: `f:${path}`, title: baseName(path), about: path }, pieces: [baseName(path)] })),
            );
          },
          () => {}, // without a folder, there are no files
        );
      }, pause);
    }),
  );
  return files;
}

/** Puts the pieces so that the marked ones are at odd places. */
function oddly(pieces: string[], marked: boolean): string[] {
  return marked && pieces[0] !== "" ? ["", ...pieces] : pieces;
}

function collect({ state, listing }: App, commands: Command[]): Target[] {
  const home = state.info?.home ?? "";
  const now = Date.now();
  const names = new Map(state.workspaceOrder.map((id) => [id, state.workspaces[id]?.title ?? ""]));
  const sessions = [...listing.of("list")].toSorted((a, b) => Number(b.waiting) - Number(a.waiting));
  return [
    ...sessions.map((entry): Target => ({
      kind: "session",
      id: `s:${entry.id}`,
      title: entry.title || text().common.newSession,
      about: `${names.get(entry.workspaceId) || baseName(entry.cwd)} · ${ago(entry.at, now)}`,
    })),
    ...state.workspaceOrder.flatMap((id): Target[] => {
      const workspace = state.workspaces[id];
      if (!workspace) return [];
      return [{ kind: "workspace", id: `w:${id}`, title: workspace.title || baseName(workspace.path), about: tilde(workspace.path, home) }];
    }),
    ...commands.map((command): Target => ({ kind: "command", id: command.id, title: command.name, about: "", command })),
  ];
}

/** The session on the page is not somewhere to go to, and a setting is looked for by its name. */
function begin(targets: Target[], current: string | null): Target[] {
  const of = (group: Group) => targets.filter((target) => groupOf(target) === group);
  const used = usedLast();
  const place = (target: Target) => (used.includes(target.id) ? used.indexOf(target.id) : used.length);
  const view = of("view").toSorted((a, b) => place(a) - place(b));
  return [
    ...view.slice(0, recent.commands),
    ...of("session").filter((target) => target.id !== `s:${current}`).slice(0, recent.sessions),
    ...of("workspace").slice(0, recent.workspaces),
    ...of("program").toSorted((a, b) => place(a) - place(b)),
    ...view.slice(recent.commands),
  ];
}

const usedKey = "parley.commands";
const mostUsed = 20;

/** The commands that were run last, the newest first. */
function usedLast(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(usedKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  } catch {
    return []; // a browser that keeps nothing, or something else
  }
}

/** Remembers that a command was run. */
export function noteUsed(id: string): void {
  try {
    localStorage.setItem(usedKey, JSON.stringify([id, ...usedLast().filter((other) => other !== id)].slice(0, mostUsed)));
  } catch {
    // The order is the usual one then.
  }
}
