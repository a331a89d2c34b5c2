// A heartbeat being edited: which fields were touched, its problems, and its next runs, as reported by the program.

import { createEffect, createSignal, on, onCleanup } from "solid-js";
import { createStore } from "solid-js/store";
import type { HeartbeatCheck, Problem, Spec } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import { text } from "../../i18n";
import { type Draft, draftOf, problemsOf, specOf } from "./draft";

const typingDelay = 300;

export function createForm(host: Host, begin: Spec, machineZone: string) {
  const [draft, set] = createStore<Draft>(draftOf(begin, machineZone));
  const before = JSON.stringify(specOf(draft));
  const [check, setCheck] = createSignal<HeartbeatCheck | null>(null);
  /** Why the last check failed. */
  const [unchecked, setUnchecked] = createSignal("");
  const [checking, setChecking] = createSignal(false);
  /** The touched fields: problems of the others are only shown on save. */
  const [touched, setTouched] = createSignal<ReadonlySet<string>>(new Set());
  const [all, setAll] = createSignal(false);
  let asked = 0;

  async function ask(spec: Spec): Promise<HeartbeatCheck | null> {
    const mine = ++asked;
    setChecking(true);
    try {
      let answer = await host.call("heartbeat.check", { spec });
      if (mine !== asked) return null;
      // The next runs are useful even before the rest is valid.
      if (answer.problems.length > 0 && problemsOf(answer.problems, "schedule").length === 0) {
        const { words, next, zone } = await host.call("heartbeat.check", { spec: { name: "x", prompt: "x", folder: "/", enabled: true, schedule: spec.schedule } });
        if (mine !== asked) return null;
        answer = { ...answer, words, next, zone };
      }
      answer = { ...answer, problems: plainly(answer.problems, spec) };
      setCheck(answer);
      setUnchecked("");
      return answer;
    } catch (failure) {
      if (mine === asked) setUnchecked(messageOf(failure));
      return null;
    } finally {
      if (mine === asked) setChecking(false);
    }
  }

  const written = () => JSON.stringify(specOf(draft));
  createEffect(
    on(written, (_, first) => {
      if (first === undefined) {
        void ask(specOf(draft));
        return "";
      }
      // Invalidate pending answers: they are about an older version.
      asked++;
      setChecking(true);
      const timer = setTimeout(() => void ask(specOf(draft)), typingDelay);
      onCleanup(() => clearTimeout(timer));
      return "";
    }),
  );
  onCleanup(() => asked++);

  const shown = (problem: Problem) => all() || [...touched()].some((field) => problem.field === field || problem.field.startsWith(`${field}.`) || field.startsWith(`${problem.field}.`));
  const problems = () => check()?.problems ?? [];

  return {
    draft,
    set,
    check,
    checking,
    unchecked,
    spec: () => specOf(draft),
    changed: () => written() !== before,
    touch: (field: string) => setTouched((now) => (now.has(field) ? now : new Set([...now, field]))),
    /** The problems of a field, if they should be shown yet. */
    faults: (field: string): Problem[] => problemsOf(problems(), field).filter(shown),
    /** The problems outside these fields. */
    others: (fields: readonly string[]): Problem[] => problems().filter((problem) => all() && fields.every((field) => problemsOf([problem], field).length === 0)),
    /** Checks once more and returns whether it can be saved. From then on, all problems are shown. */
    async ready(): Promise<boolean> {
      setAll(true);
      const answer = await ask(specOf(draft));
      // If it can't be checked, saving reports the problems.
      return answer === null ? unchecked() !== "" : answer.problems.length === 0;
    },
  };
}

/** Describes missing values in the form's words, and other problems in the program's. */
function plainly(problems: readonly Problem[], spec: Spec): Problem[] {
  const words = text().heartbeats.form.missing;
  return problems.map((problem) => {
    if (problem.field === "") return { ...problem, field: "name", message: spec.name === "" ? words.name : words.nameLetters };
    if (problem.field === "prompt" && spec.prompt.trim() === "") return { ...problem, message: words.prompt };
    if (problem.field === "folder" && spec.folder === "") return { ...problem, message: words.folder };
    if (problem.field.startsWith("schedule") && Object.values(scheduleValues(spec)).every((value) => value === "")) return { ...problem, message: words.schedule };
    return problem;
  });
}

const scheduleValues = ({ schedule: { cron = "", every = "", runAt = "" } }: Spec) => ({ cron, every, runAt });

export type FormModel = ReturnType<typeof createForm>;
