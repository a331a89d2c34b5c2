import X from "lucide-solid/icons/x";
import { createEffect, createMemo, createSignal, type JSX, Match, on, onCleanup, Show, Switch } from "solid-js";
import type { OpenQuestion, PermissionRespondParams } from "../../host/border.gen";
import { askedQuestions } from "../../lib/tools";
import { useApp } from "../../store/context";
import { questionsOf } from "../../store/state";
import { type Answer, createAnswer } from "./answer";
import { ChoiceQuestion } from "./ChoiceQuestion";
import { PlanQuestion } from "./PlanQuestion";
import { questionTitle, ToolQuestion } from "./ToolQuestion";
import "./question-dock.css";

const LATE_MS = 8000;

/** What the session asks the person, the oldest question first, above the composer. */
export function QuestionDock(props: { sessionId: string }): JSX.Element {
  const { state, actions } = useApp();
  const questions = createMemo(() => questionsOf(state, props.sessionId));
  return <QuestionDockView questions={questions()} respond={(params) => actions.respond(params)} />;
}

export function QuestionDockView(props: {
  questions: OpenQuestion[];
  respond: (params: PermissionRespondParams) => Promise<boolean>;
}): JSX.Element {
  const [late, setLate] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const sayLate = () => {
    setLate(true);
    clearTimeout(timer);
    timer = setTimeout(() => setLate(false), LATE_MS);
  };
  // A question that changes in place stays the same question.
  const first = createMemo(() => props.questions[0]?.requestId);
  const question = () => props.questions[0];
  // An answered question takes its buttons away, and the focus with them. Whoever
  // had it there goes on typing.
  createEffect(
    on(first, (now, before) => {
      if (!before || now || document.activeElement !== document.body) return;
      document.querySelector<HTMLElement>('[data-component="composer"] textarea')?.focus();
    }),
  );

  return (
    <div data-component="question-dock" data-empty={(!first() && !late()) || undefined}>
      <p class="visually-hidden" role="status">
        <Show when={question()}>{(asked) => `Claude asks: ${questionTitle(asked())}`}</Show>
      </p>
      <Show when={late()}>
        <p data-slot="late" role="status">
          Someone else answered first. Their answer counts.
          <button type="button" aria-label="Put away" title="Put away" onClick={() => setLate(false)}>
            <X size={14} />
          </button>
        </p>
      </Show>
      <Show when={first()} keyed>
        {(requestId) => {
          const answer = createAnswer(requestId, (params) => props.respond(params), sayLate);
          return (
            <Show when={question()}>
              {(asked) => <One question={asked()} count={props.questions.length} answer={answer} />}
            </Show>
          );
        }}
      </Show>
    </div>
  );
}

function One(props: {
  question: OpenQuestion;
  count: number;
  answer: Answer;
}): JSX.Element {
  const askable = () => props.question.kind === "question" && askedQuestions(props.question.input).length > 0;
  return (
    <Switch fallback={<ToolQuestion question={props.question} count={props.count} answer={props.answer} />}>
      <Match when={askable()}>
        <ChoiceQuestion question={props.question} count={props.count} answer={props.answer} />
      </Match>
      <Match when={props.question.kind === "plan"}>
        <PlanQuestion question={props.question} count={props.count} answer={props.answer} />
      </Match>
    </Switch>
  );
}
