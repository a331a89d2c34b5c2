// What the switcher offers for what is typed: sessions, workspaces and commands,
// the best match first; with nothing typed, what was used last.

import { go, snapshot } from "fuzzysort";
import { createMemo, createSignal, untrack } from "solid-js";
import { text } from "../../i18n";
import { ago } from "../../lib/ago";
import { baseName, tilde } from "../../lib/path";
import type { App } from "../../store/context";
import type { Command } from "./commands";

export type Target =
  | { kind: "session"; id: string; title: string; about: string }
  | { kind: "workspace"; id: string; title: string; about: string }
  | { kind: "command"; id: string; title: string; about: string; command: Command };

export interface Match {
  target: Target;
  /** The title in pieces; those at odd places are what was typed. */
  pieces: string[];
}

const most = 40;
/** With nothing typed, so many sessions and workspaces, and all commands. */
const recent = { sessions: 8, workspaces: 4 };
/** A session must match better than a command does by so much to stand before it. */
const weights = { session: 1, workspace: 0.96, command: 0.92 };
/** A name says more than what stands beside it. */
const aboutWeight = 0.7;
/** What was used last counts, where matches are alike. */
const recency = 0.1;

export function createSwitcherModel(app: App, commands: () => Command[]) {
  const { state, listing } = app;
  const [text, setText] = createSignal("");
  const [active, setActive] = createSignal(0);

  /** Everything there is, when the switcher is opened or the sessions have been read: it does not change under the person's hands. */
  const known = createMemo(() => {
    void state.loaded;
    const targets = untrack(() => collect(app, commands()));
    return { targets, prepared: snapshot(targets, { keys: ["title", "about"] }) };
  });

  const matches = createMemo<Match[]>(() => {
    const query = text().trim();
    const { targets, prepared } = known();
    if (query === "") return begin(targets, untrack(() => state.current)).map((target) => ({ target, pieces: [target.title] }));
    const place = new Map(targets.map((target, i) => [target, 1 - i / targets.length]));
    const found = go(query, prepared, {
      limit: most,
      threshold: 0.3,
      scoreFn: (result) => {
        const score = Math.max(result[0]?.score ?? 0, aboutWeight * result.score);
        return score * weights[result.obj.kind] * (1 - recency + recency * (place.get(result.obj) ?? 0));
      },
    });
    return found.map((result) => {
      const title = result[0];
      const marked = title && title.score > 0 ? title.highlight((piece) => piece) : [result.obj.title];
      return { target: result.obj, pieces: oddly(marked, title?.indexes[0] === 0) };
    });
  });

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

/** The session on the page is not somewhere to go to. */
function begin(targets: Target[], current: string | null): Target[] {
  const of = (kind: Target["kind"]) => targets.filter((target) => target.kind === kind);
  return [
    ...of("session").filter((target) => target.id !== `s:${current}`).slice(0, recent.sessions),
    ...of("workspace").slice(0, recent.workspaces),
    ...of("command"),
  ];
}
