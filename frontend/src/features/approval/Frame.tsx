import HeartPulse from "lucide-solid/icons/heart-pulse";
import { type JSX, Show } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { text } from "../../i18n";
import { formatClock } from "../../lib/time";
import type { Answer } from "./answer";
import { createQuestionKeys, type QuestionKeys } from "./keys";

export interface QuestionProps {
  question: OpenQuestion;
  /** The number of pending requests, including this one. */
  count: number;
  answer: Answer;
}

/** The frame of every request: the heading and buttons stay visible, the content between them scrolls. */
export function Frame(
  props: QuestionProps & {
    title: JSX.Element;
    icon: JSX.Element;
    children: JSX.Element;
    actions: JSX.Element;
    keys: QuestionKeys;
    /** Set when an error in the answer is shown elsewhere. */
    faultElsewhere?: boolean;
  },
): JSX.Element {
  let section!: HTMLElement;
  createQuestionKeys(() => section, { allow: () => props.keys.allow(), deny: () => props.keys.deny() });
  return (
    <section
      ref={(el) => (section = el)}
      data-component="question"
      data-kind={props.question.kind}
      data-phase={props.answer.phase()}
      aria-label={text().approval.question}
    >
      <header data-slot="header">
        <span data-slot="icon">{props.icon}</span>
        <h2>{props.title}</h2>
        <Show when={props.question.heartbeat}>
          {(name) => (
            <span data-slot="heartbeat">
              <HeartPulse size={14} aria-hidden="true" />
              {text().heartbeats.asks(name())}
            </span>
          )}
        </Show>
        <Show when={props.question.expiresAt > 0}>
          <span data-slot="expiry">{text().approval.waitsUntil(formatClock(props.question.expiresAt))}</span>
        </Show>
        <Show when={props.count > 1}>
          <span data-slot="count">{text().approval.oneOf(props.count)}</span>
        </Show>
      </header>
      <div data-slot="body">{props.children}</div>
      <Show when={props.answer.error() && !props.faultElsewhere}>
        <p data-slot="error" role="alert">
          {props.answer.error()} {text().approval.notGiven}
        </p>
      </Show>
      <footer data-slot="footer">
        <div data-slot="actions">{props.actions}</div>
      </footer>
    </section>
  );
}
