import Check from "lucide-solid/icons/check";
import Circle from "lucide-solid/icons/circle";
import CircleDot from "lucide-solid/icons/circle-dot";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { Markdown } from "../../lib/markdown";
import { field, listField, textField } from "../../lib/shape";
import { askedQuestions } from "../../lib/tools";
import { Pane } from "../../ui/pane";
import { resultText } from "./note";
import { Result } from "./Result";

/** The model's task list. */
export function TodoDetail(props: { tool: Tool }): JSX.Element {
  return (
    <ul data-slot="todos" role="list">
      <For each={listField(props.tool.input, "todos")}>
        {(todo) => {
          const status = textField(todo, "status");
          return (
            <li data-status={status}>
              <Switch fallback={<Circle size={14} />}>
                <Match when={status === "completed"}>
                  <Check size={14} />
                </Match>
                <Match when={status === "in_progress"}>
                  <CircleDot size={14} />
                </Match>
              </Switch>
              <span>
                <span class="visually-hidden">{status.replace("_", " ")}: </span>
                {(status === "in_progress" && textField(todo, "activeForm")) || textField(todo, "content")}
              </span>
            </li>
          );
        }}
      </For>
    </ul>
  );
}

/** What the person was asked and answered. */
export function AnswersDetail(props: { tool: Tool }): JSX.Element {
  const answer = (question: string) => {
    const found = field(field(props.tool.structured, "answers"), question);
    return Array.isArray(found) ? found.join(", ") : typeof found === "string" ? found : "";
  };
  return (
    <>
      <dl data-slot="answers">
        <For each={askedQuestions(props.tool.input)}>
          {(asked) => (
            <>
              <dt>{asked.question}</dt>
              <dd>
                <Show when={answer(asked.question)} fallback={<span data-slot="aside">No answer</span>}>
                  {(text) => text()}
                </Show>
              </dd>
            </>
          )}
        </For>
      </dl>
      <Show when={props.tool.state === "error"}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}

/** A plan, and what the person said to it. */
export function PlanDetail(props: { tool: Tool }): JSX.Element {
  const plan = () => textField(props.tool.input, "plan") || textField(props.tool.structured, "plan");
  return (
    <>
      <Show when={plan()}>
        <Pane label="Plan">
          <div data-slot="prose">
            <Markdown text={plan()} />
          </div>
        </Pane>
      </Show>
      <Show when={props.tool.state === "error"}>
        <p data-slot="aside">Not approved: {resultText(props.tool)}</p>
      </Show>
    </>
  );
}
