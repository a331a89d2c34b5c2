import Check from "lucide-solid/icons/check";
import Circle from "lucide-solid/icons/circle";
import CircleDot from "lucide-solid/icons/circle-dot";
import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { Markdown } from "../../ui/markdown";
import { field, listField, textField, textsField } from "../../lib/shape";
import { askedQuestions, toolKind } from "../../lib/tools";
import { Pane } from "../../ui/pane";
import { FilePath } from "./FilePath";
import { saysWhy } from "./note";
import { Result } from "./Result";

interface Todo {
  id: string;
  words: string;
  about: string;
  status: string;
  after: string[];
}

/** Claude's tasks: the whole list, or the one a call is about. */
export function TodoDetail(props: { tool: Tool }): JSX.Element {
  const todos = createMemo(() => todosOf(props.tool));
  return (
    <Show when={todos().length > 0} fallback={<Result tool={props.tool} />}>
      <ul data-slot="todos" role="list">
        <For each={todos()}>
          {(todo) => (
            <li data-status={todo.status}>
              <Switch fallback={<Circle size={14} />}>
                <Match when={todo.status === "completed"}>
                  <Check size={14} />
                </Match>
                <Match when={todo.status === "in_progress"}>
                  <CircleDot size={14} />
                </Match>
              </Switch>
              <span>
                <span class="visually-hidden">{statusName(todo.status)}: </span>
                {[todo.id && `#${todo.id}`, todo.words].filter(Boolean).join(" ")}
                <Show when={todo.after.length > 0}>
                  <span data-slot="aside"> {text().tools.blockedBy(todo.after.map((id) => `#${id}`).join(", "))}</span>
                </Show>
                <Show when={todo.about}>
                  <span data-slot="about">{todo.about}</span>
                </Show>
              </span>
            </li>
          )}
        </For>
      </ul>
      <Show when={saysWhy(props.tool)}>
        <Result tool={props.tool} />
      </Show>
    </Show>
  );
}

/** A translated status; an unknown one is shown as it is. */
function statusName(status: string): string {
  const names: Record<string, string> = text().tools.todoStates;
  return Object.hasOwn(names, status) ? (names[status] ?? status) : status;
}

function todosOf(tool: Tool): Todo[] {
  const { input, structured } = tool;
  const of = (value: unknown, status = textField(value, "status")): Todo => ({
    id: textField(value, "id") || textField(value, "taskId"),
    words: (status === "in_progress" && textField(value, "activeForm")) || textField(value, "subject") || textField(value, "content"),
    about: textField(value, "description"),
    status,
    after: textsField(value, "blockedBy").concat(textsField(value, "addBlockedBy")),
  });
  switch (toolKind(tool.name)) {
    case "TodoWrite":
      return listField(input, "todos").map((todo) => of(todo));
    case "TaskList":
      return listField(structured, "tasks").map((todo) => of(todo));
    case "TaskGet":
      return field(structured, "task") ? [of(field(structured, "task"))] : [];
    case "TaskCreate":
      return textField(input, "subject") ? [{ ...of(input, "pending"), id: textField(field(structured, "task"), "id") }] : [];
    default:
      return textField(input, "taskId") ? [of(input)] : [];
  }
}

/** Questions to the user, and the answers. */
export function AnswersDetail(props: { tool: Tool }): JSX.Element {
  const answer = (question: string) => {
    const found = field(field(props.tool.structured, "answers"), question);
    return Array.isArray(found) ? found.join(", ") : typeof found === "string" ? found : "";
  };
  const notes = (question: string) => textField(field(field(props.tool.structured, "annotations"), question), "notes");
  return (
    <>
      <dl data-slot="answers">
        <For each={askedQuestions(props.tool.input)}>
          {(asked) => (
            <>
              <dt>{asked.question}</dt>
              <dd>
                <Show when={answer(asked.question)} fallback={<span data-slot="aside">{["input", "pending"].includes(props.tool.state) ? "" : text().tools.noAnswer}</span>}>
                  {(words) => words()}
                </Show>
                <Show when={notes(asked.question)}>
                  {(words) => (
                    <p data-slot="aside">
                      {text().tools.notes}: {words()}
                    </p>
                  )}
                </Show>
              </dd>
            </>
          )}
        </For>
      </dl>
      <Show when={textField(props.tool.structured, "response")}>{(words) => <p>{words()}</p>}</Show>
      <Show when={saysWhy(props.tool)}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}

/** A plan, and the user's response. */
export function PlanDetail(props: { tool: Tool }): JSX.Element {
  const plan = () => textField(props.tool.structured, "plan") || textField(props.tool.input, "plan");
  return (
    <>
      <Show when={plan()} fallback={<Show when={props.tool.state === "done"}><Result tool={props.tool} /></Show>}>
        <Pane label={text().tools.plan}>
          <div data-slot="prose">
            <Markdown text={plan()} />
          </div>
        </Pane>
      </Show>
      <FilePath path={textField(props.tool.structured, "filePath") || textField(props.tool.input, "planFilePath")} />
      <Show when={field(props.tool.structured, "planWasEdited") === true}>
        <p data-slot="aside">{text().tools.planEdited}</p>
      </Show>
      <Show when={saysWhy(props.tool)}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}
