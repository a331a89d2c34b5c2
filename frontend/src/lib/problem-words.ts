import type { AppProblem } from "../host/border.gen";
import { text, translated } from "../i18n";

/** A problem and its remedy in the user's language; unknown kinds use the program's text. */
export function problemWords(problem: AppProblem): { title: string; todo: string } {
  const { kinds, things } = text().problems;
  const words = Object.hasOwn(kinds, problem.id) ? kinds[problem.id as keyof typeof kinds] : problem;
  const thing = (name: string) => (Object.hasOwn(things, name) ? things[name as keyof typeof things] : name);
  const fill = (sentence: string) =>
    sentence.replace(/\{([a-zA-Z]+)\}/g, (all, name: string) => {
      const fact = problem.facts[name];
      if (fact === undefined) return all;
      if (name !== "what") return translated(fact);
      const listed = fact.split(",").map(thing);
      return listed.join(listed.some((one) => one.includes(",")) ? "; " : ", ");
    });
  return { title: fill(words.title), todo: fill(words.todo) };
}
