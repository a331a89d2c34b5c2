// Slash commands while they are typed.

import { type Accessor, createEffect, createMemo, createSignal, on } from "solid-js";
import { go } from "fuzzysort";
import type { Command } from "../../host/border.gen";
import type { Models } from "../choices/model";

const most = 100;
/** What may follow is shown while so much of it is typed. */
const hintLength = 400;

export interface Slash {
  /** Whether the list is to be shown. */
  open: Accessor<boolean>;
  matches: Accessor<Command[]>;
  /** The one that the keyboard is on. */
  at: Accessor<number>;
  setAt(at: number): void;
  /** The command whose arguments are being typed and what they may be, null otherwise. */
  hint: Accessor<Command | null>;
  models: Models;
  /** Takes a key of the box; true when it was for the list. */
  key(event: KeyboardEvent): boolean;
  accept(command: Command): void;
  dismiss(): void;
}

export function createSlash(models: Models, text: Accessor<string>, setText: (text: string) => void): Slash {
  const [dismissed, setDismissed] = createSignal(false);
  const [at, setAt] = createSignal(0);
  /** What follows the slash while the command itself is typed, null when that is not so. */
  const query = createMemo(() => /^\/(\S*)$/.exec(text())?.[1] ?? null);
  const matches = createMemo(() => {
    const q = query();
    return q === null ? [] : find(models.list()?.commands ?? [], q);
  });
  const waiting = () => models.list() === null || models.problem() !== "";
  const open = () => query() !== null && !dismissed() && (matches().length > 0 || waiting());
  const hint = createMemo(() => {
    const name = /^\/(\S+)\s[^\n]*$/.exec(text().slice(0, hintLength))?.[1];
    return models.list()?.commands.find((c) => c.name === name && c.argumentHint !== "" && kindOf(c) !== "agent") ?? null;
  });

  createEffect(
    on(query, (now, before) => {
      setAt(0);
      if (now === null) setDismissed(false);
      else if (before === null || before === undefined) models.ask();
    }),
  );

  function accept(command: Command): void {
    setText(kindOf(command) === "agent" ? `@agent-${command.name} ` : `/${command.name} `);
  }

  return {
    open,
    matches,
    at,
    setAt,
    hint,
    models,
    accept,
    dismiss: () => setDismissed(true),
    key(event) {
      if (!open() || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
      const { length } = matches();
      const chosen = matches()[at()];
      if (event.key === "Escape") setDismissed(true);
      else if (length === 0) return false;
      else if (event.key === "ArrowDown") setAt((at() + 1) % length);
      else if (event.key === "ArrowUp") setAt((at() - 1 + length) % length);
      else if (event.key === "Tab" && chosen) accept(chosen);
      // What is typed in full is meant to be sent.
      else if (event.key === "Enter" && chosen && chosen.name !== query()) accept(chosen);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

/**
 * Those that begin with the words, then those that have them elsewhere in the name,
 * then those with their letters in order, then those that speak of them; kinds stay
 * together, the one with the best first.
 */
export function find(commands: readonly Command[], words: string): Command[] {
  const q = words.toLowerCase();
  const known = commands.filter((c) => !c.name.startsWith("_"));
  const ranked = q === "" ? known : rank(known, q);
  const kinds = q === "" ? ["command", "skill", "agent"] : [...new Set(ranked.map(kindOf))];
  return kinds.flatMap((kind) => ranked.filter((c) => kindOf(c) === kind)).slice(0, most);
}

function rank(known: readonly Command[], q: string): Command[] {
  const place = (c: Command) => c.name.toLowerCase().indexOf(q);
  const begin = known.filter((c) => place(c) === 0).toSorted((a, b) => (a.name.toLowerCase() === q ? -1 : b.name.toLowerCase() === q ? 1 : 0));
  const inside = known.filter((c) => place(c) > 0);
  const named = new Set([...begin, ...inside]);
  const others = known.filter((c) => !named.has(c));
  const letters = go(q, others, { key: "name", threshold: 0.1 }).map((r) => r.obj);
  const spoken = q.length < 3 ? [] : others.filter((c) => !letters.includes(c) && c.description.toLowerCase().includes(q));
  return [...begin, ...inside, ...letters, ...spoken];
}

/** "command", "skill" or "agent". */
export function kindOf(command: Command): string {
  return command.kind === "skill" || command.kind === "agent" ? command.kind : "command";
}
