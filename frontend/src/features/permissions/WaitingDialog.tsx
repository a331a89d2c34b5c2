import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { OpenQuestion, RuleChoice } from "../../host/border.gen";
import { text } from "../../i18n";
import { stable } from "../../lib/stable";
import { formatAge, createClock } from "../../lib/time";
import { describeTool } from "../../lib/tools";
import { useApp } from "../../store/context";
import { allQuestions } from "../../store/state";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { Dialog } from "../../ui/dialog";
import { createAnswer, type Ending } from "../approval/answer";
import { lateWords, One } from "../approval/QuestionDock";
import { questionTitle } from "../approval/ToolQuestion";
import { titleOf } from "../../store/names";
import "./waiting.css";

/** The requests of all sessions in one place. Simple ones can be answered here. */
export function WaitingDialog(): JSX.Element {
  const { layout } = useApp();
  return (
    <Dialog
      open={layout.overlay()?.kind === "waiting"}
      onOpenChange={(open) => !open && layout.setOverlay(null)}
      title={text().permission.waiting.title}
      description={text().permission.waiting.about}
      size="page"
    >
      <WaitingList />
    </Dialog>
  );
}

export function WaitingList(): JSX.Element {
  const { state } = useApp();
  const questions = createMemo(() => allQuestions(state));
  const [open, setOpen] = createSignal("");
  const [late, setLate] = createSignal<Ending | null>(null);
  const now = createClock(1000);
  const words = () => text().permission.waiting;
  return (
    <div data-component="waiting" data-autofocus="" tabindex="-1">
      <div role="status">
        <Show when={late()}>{(ending) => <p data-slot="late">{lateWords(ending())}</p>}</Show>
        <Show when={questions().length === 0}>
          <p data-slot="none">{words().none}</p>
        </Show>
      </div>
      <ul role="list">
        <For each={questions().map(({ requestId }) => requestId)}>
          {(id) => {
            const question = stable(() => questions().find(({ requestId }) => requestId === id));
            return (
              <Waiting
                question={question()}
                since={words().since(formatAge(now() - question().askedAt))}
                open={open() === id}
                onOpen={(to) => setOpen(to ? id : "")}
                onLate={setLate}
              />
            );
          }}
        </For>
      </ul>
    </div>
  );
}

function Waiting(props: { question: OpenQuestion; since: string; open: boolean; onOpen: (open: boolean) => void; onLate: (ending: Ending) => void }): JSX.Element {
  const app = useApp();
  const { layout, actions, host } = app;
  const words = () => text().permission.waiting;
  const title = () => titleOf(app, props.question.sessionId, props.question.sessionTitle);
  const object = () => describeTool(props.question.toolName, props.question.input, props.question.cwd ?? "").object;
  const risk = (): string => {
    const names: Record<string, string> = text().approval.risk;
    return names[props.question.risk?.level ?? ""] ?? "";
  };
  function go(): void {
    layout.setOverlay(null);
    actions.open(props.question.sessionId);
  }
  const bash = () => props.question.kind === "tool" && props.question.toolName === "Bash";
  /** The heartbeat that asks. */
  const asker = () => (props.question.heartbeat ? text().heartbeats.asks(props.question.heartbeat) : "");
  const spoken = () => `${words().go(title())}: ${[questionTitle(props.question), bash() ? object() : "", asker(), risk(), props.since].filter(Boolean).join(", ")}`;
  return (
    <li data-slot="question-row" data-open={props.open || undefined}>
      <div data-slot="head">
        <button type="button" data-slot="go" aria-label={spoken()} onClick={go}>
          <span data-slot="session">
            <ExactText text={title()} />
          </span>{" "}
          <span data-slot="asks">
            {questionTitle(props.question)}{" "}
            <Show when={bash()}>
              <code>
                <ExactText text={object()} />
              </code>
            </Show>
          </span>{" "}
          <span data-slot="facts">
            <Show when={asker()}>{(name) => <>{name()} · </>}</Show>
            <Show when={risk()}>
              {(name) => <strong data-level={props.question.risk?.level}>{name()}</strong>}
            </Show>{" "}
            {props.since}
          </span>
        </button>
        <Show
          when={props.question.kind === "tool"}
          fallback={
            <Button size="small" onClick={go}>
              {text().heartbeats.list.goAnswer}
            </Button>
          }
        >
          <Button size="small" aria-expanded={props.open} onClick={() => props.onOpen(!props.open)}>
            {props.open ? words().fold : words().answer}
          </Button>
        </Show>
      </div>
      <Show when={props.open}>
        <Here question={props.question} onLate={props.onLate} respond={actions.respond} preview={(rule) => host.call("rule.preview", { requestId: props.question.requestId, rule })} />
      </Show>
    </li>
  );
}

/** The request as shown in its session. It also ignores input in its first half second. */
function Here(props: {
  question: OpenQuestion;
  onLate: (ending: Ending) => void;
  respond: ReturnType<typeof useApp>["actions"]["respond"];
  preview: (rule: RuleChoice) => ReturnType<Parameters<typeof One>[0]["preview"]>;
}): JSX.Element {
  const answer = createAnswer(props.question.requestId, ({ mode: _, ...params }) => props.respond(params), (ending) => props.onLate(ending));
  return <One question={props.question} count={1} answer={answer} preview={(rule) => props.preview(rule)} />;
}
