import Check from "lucide-solid/icons/check";
import ChevronRight from "lucide-solid/icons/chevron-right";
import Circle from "lucide-solid/icons/circle";
import CircleDot from "lucide-solid/icons/circle-dot";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from "solid-js";
import type { Session, Todo } from "../../host/border.gen";
import { text } from "../../i18n";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { createTodos } from "./model";
import "./todos.css";

/** Claude's task list and its progress: one line that expands to the list. */
export function TodoPanel(props: { session: Session }): JSX.Element {
  const model = createTodos(() => props.session);
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  const done = createMemo(() => model.todos().filter((t) => t.state === "completed").length);
  const all = () => model.todos().length;
  const now = createMemo(() => {
    const going = model.todos().find((t) => t.state === "in_progress");
    if (going) return going.doing || going.subject;
    const next = model.todos().find((t) => t.state === "pending");
    return next ? text().todos.next(next.subject) : text().todos.allDone;
  });

  return (
    <Show when={model.shown()}>
      <section data-component="todos" aria-label={text().todos.title} data-open={open() || undefined}>
        <div data-slot="head">
          <button
            type="button"
            data-slot="line"
            aria-expanded={open()}
            aria-controls={id}
            title={text().todos.show}
            onClick={() => setOpen(!open())}
          >
            <ChevronRight size={14} data-slot="chevron" aria-hidden="true" />
            <span data-slot="title">{text().todos.title}</span>
            <span data-slot="count">{text().todos.count(done(), all())}</span>
            <progress max={all()} value={done()} aria-hidden="true" />
            <Show when={!open()}>
              <span data-slot="now">
                <ExactText text={now()} />
              </span>
            </Show>
          </button>
          <IconButton label={text().todos.hide} onClick={() => model.hide()}>
            <X />
          </IconButton>
        </div>
        <Show when={open()}>
          <ol id={id} role="list" tabindex="0" aria-label={text().todos.title}>
            <For each={model.todos()}>{(todo) => <Row todo={todo} all={model.todos()} />}</For>
            <Show when={model.unread() > 0}>
              <li data-slot="unread">{text().todos.unread(model.unread())}</li>
            </Show>
          </ol>
        </Show>
      </section>
    </Show>
  );
}

function Row(props: { todo: Todo; all: readonly Todo[] }): JSX.Element {
  const state = (): keyof ReturnType<typeof text>["todos"]["states"] =>
    props.todo.state === "completed" || props.todo.state === "in_progress" ? props.todo.state : "pending";
  /** Its unfinished dependencies. */
  const blocked = () => props.all.filter((t) => t.state !== "completed" && props.todo.blockedBy.includes(t.id)).map((t) => t.subject);
  return (
    <li data-state={state()} title={props.todo.about || undefined}>
      <span data-slot="icon">
        <Switch fallback={<Circle size={14} />}>
          <Match when={state() === "completed"}>
            <Check size={14} />
          </Match>
          <Match when={state() === "in_progress"}>
            <CircleDot size={14} />
          </Match>
        </Switch>
      </span>
      <span class="visually-hidden">{text().todos.states[state()]}: </span>
      <span data-slot="subject">
        <ExactText text={(state() === "in_progress" && props.todo.doing) || props.todo.subject} />
      </span>
      <Show when={props.todo.owner}>
        <span data-slot="owner">
          <ExactText text={props.todo.owner} />
        </span>
      </Show>
      <Show when={state() !== "completed" && blocked().length > 0}>
        <span data-slot="blocked">{text().todos.blockedBy(blocked().join(", "))}</span>
      </Show>
    </li>
  );
}
