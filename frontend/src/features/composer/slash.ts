// Completes slash commands while typing.

import { type Accessor, createEffect, createMemo, createSignal, on } from "solid-js";
import { go } from "fuzzysort";
import type { Command } from "../../host/border.gen";
import type { Models } from "../choices/model";

const most = 100;
/** The argument hint is shown up to this text length. */
const hintLength = 400;

export interface Slash {
  /** Whether the list is open. */
  open: Accessor<boolean>;
  matches: Accessor<Command[]>;
  /** The selected index. */
  at: Accessor<number>;
  setAt(at: number): void;
  /** The command whose arguments are being typed, for its hint; null otherwise. */
  hint: Accessor<Command | null>;
  models: Models;
  /** Handles a key of the box; true if the list used it. */
  key(event: KeyboardEvent): boolean;
  accept(command: Command): void;
  dismiss(): void;
}

export function createSlash(models: Models, text: Accessor<string>, setText: (text: string) => void): Slash {
  const [dismissed, setDismissed] = createSignal(false);
  const [at, setAt] = createSignal(0);
  /** The text after the slash while the command is being typed, null otherwise. */
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
      // A fully typed command is meant to be sent.
      else if (event.key === "Enter" && chosen && chosen.name !== query()) accept(chosen);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

/**
 * Commands whose name starts with the words, then those that contain them, then those with
 * their letters in order, then those that mention them; kinds stay together, the best match's
 * kind first.
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
