// The user's choices for Claude's questions, and the answer they make.

import type { Accessor } from "solid-js";
import type { AskedQuestion } from "../../lib/tools";

interface Choice {
  labels: string[];
  /** Whether the user's own text counts. */
  other: boolean;
  text: string;
}

type Answers = Record<string, string | string[]>;

export interface Choices {
  chosen(index: number, label: string): boolean;
  otherChosen(index: number): boolean;
  otherText(index: number): string;
  choose(index: number, label: string): void;
  chooseOther(index: number): void;
  write(index: number, text: string): void;
  /** The index of the first unanswered question, -1 for none. */
  open(): number;
  answers(): Answers;
}

/** The choices by question index, and their setter. */
type Kept = [Accessor<Record<number, Choice>>, (choices: Record<number, Choice>) => void];

export function createChoices(questions: () => AskedQuestion[], [choices, setAll]: Kept): Choices {
  const set = (index: number, choice: Choice) => setAll({ ...choices(), [index]: choice });
  const at = (index: number): Choice => choices()[index] ?? { labels: [], other: false, text: "" };
  const multi = (index: number) => questions()[index]?.multiSelect ?? false;

  const answered = (index: number) => {
    const { labels, other, text } = at(index);
    return labels.length > 0 ? !other || text.trim() !== "" : other && text.trim() !== "";
  };
  return {
    chosen: (index, label) => at(index).labels.includes(label),
    otherChosen: (index) => at(index).other,
    otherText: (index) => at(index).text,
    choose(index, label) {
      const { labels, other, text } = at(index);
      const without = labels.filter((l) => l !== label);
      if (!multi(index)) set(index, { labels: [label], other: false, text });
      else set(index, { labels: without.length < labels.length ? without : [...labels, label], other, text });
    },
    chooseOther(index) {
      const { labels, other, text } = at(index);
      set(index, multi(index) ? { labels, other: !other, text } : { labels: [], other: true, text });
    },
    write(index, text) {
      const { labels } = at(index);
      set(index, { labels: multi(index) ? labels : [], other: text !== "" || at(index).other, text });
    },
    open: () => questions().findIndex((_, index) => !answered(index)),
    answers() {
      const out: Answers = {};
      for (const [index, asked] of questions().entries()) {
        const { labels, other, text } = at(index);
        // In the order in which they were offered.
        const picked = asked.options.map((o) => o.label).filter((label) => labels.includes(label));
        if (other) picked.push(text.trim());
        out[asked.question] = asked.multiSelect ? picked : (picked[0] ?? "");
      }
      return out;
    },
  };
}
