// The heartbeats file being edited: the version read, the user's text, its problems, and whether someone else changed
// it since.

import { createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Problem } from "../../host/border.gen";
import { type Host, HostError, messageOf } from "../../host/host";

const typingDelay = 400;

export function createEditor(host: Host, revisionNow: () => string | undefined) {
  /** The version last read or saved, null before that. */
  const [base, setBase] = createSignal<{ text: string; revision: string } | null>(null);
  const [text, setText] = createSignal("");
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const [checking, setChecking] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  /** Whether the file on disk differs from the version read. */
  const [conflict, setConflict] = createSignal(false);
  const [saved, setSaved] = createSignal(false);
  let asked = 0;

  const changed = () => base() !== null && text() !== base()?.text;

  async function read(): Promise<void> {
    setError("");
    try {
      const file = await host.call("heartbeat.getFile", {});
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
      const file = await host.call("heartbeat.setFile", { text: mine, revision: was.revision });
      setBase(file);
      // Keep what the user typed since then.
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

  /** Overwrites someone else's changes. */
  async function keepMine(): Promise<boolean> {
    try {
      const file = await host.call("heartbeat.getFile", {});
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
          // Saving reports it too.
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

/** The offset of a line and column in a text; both start at 1. */
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

/** The indentation for the line after this one; a list item continues below its dash. */
export function indentOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  const own = /^ */.exec(line)?.[0] ?? "";
  return /(?::|[|>][+-]?)$/.test(line.trimEnd()) ? `${own}  ` : own;
}
