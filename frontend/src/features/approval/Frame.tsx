import { type JSX, Show } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { formatClock } from "../../lib/time";
import type { Answer } from "./answer";

export interface QuestionProps {
  question: OpenQuestion;
  /** How many questions wait, this one included. */
  count: number;
  answer: Answer;
}

/** The frame of every question: heading and buttons stay in view, what is between them scrolls. */
export function Frame(
  props: QuestionProps & { title: JSX.Element; icon: JSX.Element; children: JSX.Element; actions: JSX.Element; aside?: JSX.Element },
): JSX.Element {
  return (
    <section
      data-component="question"
      data-kind={props.question.kind}
      data-phase={props.answer.phase()}
      aria-label="Question"
    >
      <header data-slot="header">
        <span data-slot="icon">{props.icon}</span>
        <h2>{props.title}</h2>
        <Show when={props.question.expiresAt > 0}>
          <span data-slot="expiry">waits until {formatClock(props.question.expiresAt)}</span>
        </Show>
        <Show when={props.count > 1}>
          <span data-slot="count">1 of {props.count}</span>
        </Show>
      </header>
      <div data-slot="body">{props.children}</div>
      <Show when={props.answer.error()}>
        <p data-slot="error" role="alert">
          {props.answer.error()} Your answer was not given; try again.
        </p>
      </Show>
      <footer data-slot="footer">
        <div data-slot="actions">{props.actions}</div>
        {props.aside}
      </footer>
    </section>
  );
}
