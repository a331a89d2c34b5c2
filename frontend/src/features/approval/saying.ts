// Words that a user writes to a question instead of pressing one of its buttons.

import type { OpenQuestion } from "../../host/border.gen";
import { textField } from "../../lib/shape";
import { askedQuestions, describeTool, toolLabel } from "../../lib/tools";
import { showHidden } from "../../lib/visible";
import type { Answer, Reply } from "./answer";
import { createChoices } from "./choice";
import { keptOf } from "./kept";
import { changesAsked } from "./plan-parts";
import type { Comment } from "./plan-parts";

/** The question that the dock shows, and the way to answer it. */
export interface Shown {
  requestId: string;
  answer: Answer;
}

/** What words are to a question: a no with a reason, an answer, what should change in a plan. */
export type Saying = "deny" | "answer" | "changes";

/** Null where nobody would read them: the CLI does not run before a folder is trusted. */
export function sayingOf(question: OpenQuestion): Saying | null {
  if (question.kind === "trust") return null;
  if (question.kind === "plan") return "changes";
  return question.kind === "question" && askedQuestions(question.input).length > 0 ? "answer" : "deny";
}

/** The answer that the words make, with what was chosen and commented before. */
export function replyWith(question: OpenQuestion, words: string): Reply {
  switch (sayingOf(question)) {
    case "changes":
      return { behavior: "deny", message: changesAsked(textField(question.input, "plan"), keptOf<Comment[]>(question.requestId, "comments") ?? [], words) };
    case "answer":
      return answerWith(question, words);
    default:
      return { behavior: "deny", message: words };
  }
}

function answerWith(question: OpenQuestion, words: string): Reply {
  const asked = askedQuestions(question.input);
  let chosen = keptOf<Parameters<Kept[1]>[0]>(question.requestId, "choices") ?? {};
  const choices = createChoices(() => asked, [() => chosen, (next) => (chosen = next)]);
  if (asked.length === 1) {
    choices.write(0, words);
    return { behavior: "allow", answers: choices.answers() };
  }
  // Which of several questions the words are for is for the model to read.
  const answered = Object.entries(choices.answers()).filter(([, answer]) => answer.length > 0);
  return { behavior: "deny", message: [...answered.map(([name, answer]) => `${name} ${[answer].flat().join(", ")}`), words].join("\n") };
}

type Kept = Parameters<typeof createChoices>[1];

/** At most so many characters of a name stand in a sentence. */
const longest = 32;

/** What a question is about, in a few letters. */
export function subjectOf(question: OpenQuestion): string {
  const { object } = describeTool(question.toolName, question.input, question.cwd ?? "");
  const [line = ""] = (object || question.title || toolLabel(question.toolName)).trim().split("\n", 1);
  const shown = showHidden(line);
  return shown.length > longest ? `${[...shown].slice(0, longest - 1).join("")}…` : shown;
}
