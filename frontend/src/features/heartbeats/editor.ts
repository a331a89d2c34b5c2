// The file of heartbeats while it is written: what was read, what is written, what is
// wrong with it, and whether somebody else changed it meanwhile.

import { createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Problem } from "../../host/border.gen";
import { type Host, HostError, messageOf } from "../../host/host";

const typingDelay = 400;

export function createEditor(host: Host, revisionNow: () => string | undefined) {
  /** As it was read or saved last, null before that. */
  const [base, setBase] = createSignal<{ text: string; revision: string } | null>(null);
  const [text, setText] = createSignal("");
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const [checking, setChecking] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  /** The file on disk is another one than was read. */
  const [conflict, setConflict] = createSignal(false);
  const [saved, setSaved] = createSignal(false);
  let asked = 0;

  const changed = () => base() !== null && text() !== base()?.text;

  async function read(): Promise<void> {
    setError("");
    try {
      const file = await host.call("heartbeat.text", {});
      setBase(file);
      setText(file.text);
      setConflict(false);
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  async function save(): Promise<boolean> {
    const was = base();
    if (!was || busy()) return false;
    const mine = text();
    setBusy(true);
    setError("");
    try {
      const file = await host.call("heartbeat.setText", { text: mine, revision: was.revision });
      setBase(file);
      // What was written meanwhile stays.
      if (text() === mine) setText(file.text);
      setConflict(false);
      setSaved(true);
      return true;
    } catch (failure) {
      if (failure instanceof HostError && failure.code === "conflict") setConflict(true);
      else setError(messageOf(failure));
      return false;
    } finally {
      setBusy(false);
    }
  }

  /** Saves over what somebody else has written. */
  async function keepMine(): Promise<boolean> {
    try {
      const file = await host.call("heartbeat.text", {});
      setBase(file);
      setConflict(false);
    } catch (failure) {
      setError(messageOf(failure));
      return false;
    }
    return await save();
  }

  createEffect(
    on(text, (value) => {
      const mine = ++asked;
      if (base() === null) return;
      if (changed()) setSaved(false);
      setChecking(true);
      const timer = setTimeout(() => {
        host
          .call("heartbeat.check", { text: value })
          .then((check) => mine === asked && setProblems(check.problems))
          // Saving says it, too.
          .catch(() => mine === asked && setProblems([]))
          .finally(() => mine === asked && setChecking(false));
      }, typingDelay);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  onCleanup(() => asked++);

  createEffect(
    on(revisionNow, (revision) => {
      const was = base();
      if (was === null || revision === undefined || revision === was.revision || busy()) return;
      if (changed()) setConflict(true);
      else void read();
    }),
  );

  return { base, text, setText, problems, checking, busy, error, conflict, saved, changed, read, save, keepMine, revert: () => setText(base()?.text ?? "") };
}

/** Where a line and a column are in a text; both begin at 1. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let i = 1; i < line; i++) {
    const next = text.indexOf("\n", at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  const end = text.indexOf("\n", at);
  return Math.min(end < 0 ? text.length : end, at + Math.max(0, column - 1));
}

/** The blanks that a line begins with, for the next one; a list goes on below its own dash. */
export function indentOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  const own = /^ */.exec(line)?.[0] ?? "";
  return /(?::|[|>][+-]?)$/.test(line.trimEnd()) ? `${own}  ` : own;
}
