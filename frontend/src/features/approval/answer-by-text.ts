import { translatedAround } from "../../i18n";
// Text that a user sends to a request instead of pressing one of its buttons.

import type { OpenQuestion } from "../../host/border.gen";
import { textField } from "../../lib/shape";
import { askedQuestions, describeTool, toolLabel } from "../../lib/tools";
import { showHidden } from "../../lib/visible";
import type { Answer, Reply } from "./answer";
import { createChoices } from "./choice";
import { keptOf } from "./draft-answers";
import { changesAsked } from "./plan-parts";
import type { Comment } from "./plan-parts";

/** The request shown in the dock, and how to answer it. */
export interface Shown {
  requestId: string;
  answer: Answer;
}

/** What text means to a request: a denial with a reason, an answer, or changes to a plan. */
export type Saying = "deny" | "answer" | "changes";

/** Null if nobody would read the text: the CLI does not run before a folder is trusted. */
export function sayingOf(question: OpenQuestion): Saying | null {
  if (question.kind === "trust") return null;
  if (question.kind === "plan") return "changes";
  return question.kind === "question" && askedQuestions(question.input).length > 0 ? "answer" : "deny";
}

/** Builds the answer from the text and the choices or comments made before. */
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
  // With several questions, Claude works out which one the text answers.
  const answered = Object.entries(choices.answers()).filter(([, answer]) => answer.length > 0);
  return { behavior: "deny", message: [...answered.map(([name, answer]) => `${name} ${[answer].flat().join(", ")}`), words].join("\n") };
}

type Kept = Parameters<typeof createChoices>[1];

/** The maximum length of a name in a sentence. */
const longest = 32;

/** A short description of a request's subject. */
export function subjectOf(question: OpenQuestion): string {
  const { object } = describeTool(question.toolName, question.input, question.cwd ?? "");
  const [line = ""] = (object || translatedAround(question.title ?? "") || toolLabel(question.toolName)).trim().split("\n", 1);
  const shown = showHidden(line);
  return shown.length > longest ? `${[...shown].slice(0, longest - 1).join("")}…` : shown;
}
