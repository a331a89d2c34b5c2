import X from "lucide-solid/icons/x";
import { type Accessor, createEffect, createMemo, createSignal, type JSX, Match, on, onCleanup, Show, Switch, untrack } from "solid-js";
import type { OpenQuestion, RuleChoice, RulePreview } from "../../host/border.gen";
import { text } from "../../i18n";
import { askedQuestions } from "../../lib/tools";
import { isNamed, nameOf } from "../../lib/whose";
import { useApp } from "../../store/context";
import { usePane } from "../../store/pane";
import { questionsOf } from "../../store/state";
import { type Answer, createAnswer, type Ending, type Respond } from "./answer";
import { ChoiceQuestion } from "./ChoiceQuestion";
import { PlanQuestion } from "./PlanQuestion";
import type { Preview } from "./RuleForm";
import { questionTitle, ToolQuestion } from "./ToolQuestion";
import type { Shown } from "./answer-by-text";
import { TrustQuestion } from "./TrustQuestion";
import "./question-dock.css";

const LATE_MS = 8000;

/** The session's requests, the oldest first, above the composer. */
export function QuestionDock(props: {
  sessionId: string;
  /** Called with the request shown, or null. */
  onShown?: (shown: Shown | null) => void;
}): JSX.Element {
  const { state, actions, host, follow } = useApp();
  const questions = createMemo(() => questionsOf(state, props.sessionId));
  // A paired device also receives its own answers under its name.
  let answeredHere = "";
  const respond: Respond = async ({ mode, ...params }) => {
    answeredHere = params.requestId;
    const ending = await actions.respond(params);
    // The CLI restores the mode from before planning; the next call comes after that.
    if (ending.won && mode) await actions.setPermissionMode(props.sessionId, mode);
    return ending;
  };
  const preview = (requestId: string, rule: RuleChoice): Promise<RulePreview> => host.call("rule.preview", { requestId, rule });
  const [elsewhere, setElsewhere] = createSignal<Ending | null>(null, { equals: false });
  onCleanup(
    follow({
      applied(events) {
        for (const { event, payload } of events) {
          if (event !== "permission_resolved" || payload.sessionId !== props.sessionId || !payload.by || !isNamed(payload.by) || payload.requestId === answeredHere) continue;
          setElsewhere({ won: true, outcome: payload.outcome, by: payload.by });
        }
      },
      missed() {},
    }),
  );
  return <QuestionDockView questions={questions()} respond={respond} preview={preview} elsewhere={elsewhere} onShown={(shown) => props.onShown?.(shown)} />;
}

export function QuestionDockView(props: { questions: OpenQuestion[]; respond: Respond; preview: Preview; elsewhere?: Accessor<Ending | null>; onShown?: (shown: Shown | null) => void }): JSX.Element {
  const pane = usePane();
  const [late, setLate] = createSignal<Ending | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const sayLate = (ending: Ending) => {
    setLate(ending);
    clearTimeout(timer);
    timer = setTimeout(() => setLate(null), LATE_MS);
  };
  // Someone in Mattermost or on a paired device answered this request.
  createEffect(() => {
    const ending = props.elsewhere?.();
    if (ending) sayLate(ending);
  });
  // A request that is updated in place stays the same request.
  const first = createMemo(() => props.questions[0]?.requestId);
  const question = () => props.questions[0];
  // Answering removes the buttons, and the focus with them. Move it back so that the user can keep typing.
  createEffect(
    on(first, (now, before) => {
      if (!before || now || document.activeElement !== document.body) return;
      pane.focusComposer();
    }),
  );

  return (
    <div data-component="question-dock" data-empty={(!first() && !late()) || undefined}>
      <p class="visually-hidden" role="status">
        <Show when={question()}>{(asked) => text().approval.asks(questionTitle(asked()))}</Show>
      </p>
      <Show when={late()}>
        <p data-slot="late" role="status">
          {lateWords(late())}
          <button type="button" aria-label={text().approval.dismiss} title={text().approval.dismiss} onClick={() => setLate(null)}>
            <X size={14} />
          </button>
        </p>
      </Show>
      <Show when={first()} keyed>
        {(requestId) => {
          const answer = createAnswer(requestId, (params) => props.respond(params), sayLate);
          untrack(() => props.onShown?.({ requestId, answer }));
          onCleanup(() => props.onShown?.(null));
          return (
            <Show when={question()}>
              {(asked) => <One question={asked()} count={props.questions.length} answer={answer} preview={(rule) => props.preview(requestId, rule)} />}
            </Show>
          );
        }}
      </Show>
    </div>
  );
}

/** Says who answered first, and how. */
export function lateWords(ending: Ending | null): string {
  const words = text().approval;
  if (ending?.won && isNamed(ending.by)) return words.elsewhere(nameOf(ending.by), (words.how as Record<string, string>)[ending.outcome] ?? ending.outcome);
  const who: Record<string, string> = words.who;
  const how: Record<string, string> = words.how;
  // A Mattermost user is shown under their name there: "@alice in Mattermost".
  const by = ending && (who[ending.by] ?? (isNamed(ending.by) ? nameOf(ending.by) : undefined));
  const outcome = ending && how[ending.outcome];
  return by && outcome ? words.late(by, outcome) : words.lateSomeone;
}

/** One request of any kind. */
export function One(props: {
  question: OpenQuestion;
  count: number;
  answer: Answer;
  preview: (rule: RuleChoice) => Promise<RulePreview>;
}): JSX.Element {
  const askable = () => props.question.kind === "question" && askedQuestions(props.question.input).length > 0;
  return (
    <Switch fallback={<ToolQuestion question={props.question} count={props.count} answer={props.answer} preview={props.preview} />}>
      <Match when={askable()}>
        <ChoiceQuestion question={props.question} count={props.count} answer={props.answer} />
      </Match>
      <Match when={props.question.kind === "plan"}>
        <PlanQuestion question={props.question} count={props.count} answer={props.answer} />
      </Match>
      <Match when={props.question.kind === "trust"}>
        <TrustQuestion question={props.question} count={props.count} answer={props.answer} />
      </Match>
    </Switch>
  );
}
