import type { AppProblem } from "../host/border.gen";
import { text, translated } from "../i18n";

/** What a problem means and what to do, in the user's language; of a kind that the page does not know, as the program says it. */
export function problemWords(problem: AppProblem): { title: string; todo: string } {
  const { kinds, things } = text().problems;
  const words = Object.hasOwn(kinds, problem.id) ? kinds[problem.id as keyof typeof kinds] : problem;
  const thing = (name: string) => (Object.hasOwn(things, name) ? things[name as keyof typeof things] : name);
  const fill = (sentence: string) =>
    sentence.replace(/\{([a-zA-Z]+)\}/g, (all, name: string) => {
      const fact = problem.facts[name];
      if (fact === undefined) return all;
      return name === "what" ? fact.split(",").map(thing).join(", ") : translated(fact);
    });
  return { title: fill(words.title), todo: fill(words.todo) };
}
