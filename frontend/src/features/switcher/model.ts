// The palette's results: commands, sessions, workspaces, files of the current session and settings, best match first;
// without input, the most recently used.

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
  /** The title in pieces; those at odd indexes match the input. */
  pieces: string[];
}

const most = 40;
/** The maximum numbers without input; all commands of the page are listed. */
const recent = { commands: 6, sessions: 8, workspaces: 4 };
/** For equal matches, actions on the page come first, then navigation targets. */
const weights = { view: 1, session: 0.98, workspace: 0.95, program: 0.95, file: 0.92, setting: 0.9 };
/** A name counts more than its description, and that more than an alias. */
const aboutWeight = 0.7;
const alsoWeight = 0.65;
/** Recent use breaks ties between matches. */
const recency = 0.1;

export function createSwitcherModel(app: App, commands: () => Command[]) {
  const { state, listing } = app;
  const [text, setText] = createSignal("");
  const [active, setActive] = createSignal(0);

  /** A snapshot, taken when the switcher opens or the sessions have loaded, so that it does not change while in use. */
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
  // Files arrive later. Existing rows stay, so that a click on one is not lost.
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

/** The section of a target. */
export type Group = "session" | "workspace" | "file" | Command["group"];
export const groupOf = (target: Target): Group => (target.kind === "command" ? target.command.group : target.kind);
const alsoOf = (target: Target) => (target.kind === "command" ? target.command.also : "");

/** The maximum number of files, the pause in typing before they are searched, and the minimum input. */
const mostFiles = 6;
const pause = 120;
const leastLetters = 2;

/** The files of the current session that match the input. */
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

/** Arranges the pieces so that marked ones are at odd indexes. */
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

/** Excludes the current session and settings, which are only found by name. */
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

/** The most recently run commands, newest first. */
function usedLast(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(usedKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  } catch {
    return []; // no storage, or invalid data
  }
}

/** Records that a command was run. */
export function noteUsed(id: string): void {
  try {
    localStorage.setItem(usedKey, JSON.stringify([id, ...usedLast().filter((other) => other !== id)].slice(0, mostUsed)));
  } catch {
    // Without storage, the order is the default one.
  }
}
