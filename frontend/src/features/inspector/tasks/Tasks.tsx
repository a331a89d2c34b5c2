import { For, type JSX, Match, Show, Switch } from "solid-js";
import { text } from "../../../i18n";
import { Button } from "../../../ui/button";
import { createTasks, isActive } from "./model";
import { TaskRow } from "./TaskRow";
import "./tasks.css";

/** A session's background tasks, running and finished. */
export function Tasks(props: { sessionId: string }): JSX.Element {
  const model = createTasks(() => props.sessionId);
  const words = () => text().inspector.tasks;
  // Keyed by id, so that rows keep their place when a task changes.
  const ids = (running: boolean) => (model.tasks() ?? []).filter((task) => isActive(task) === running).map((task) => task.taskId).toReversed();
  const task = (id: string) => model.tasks()?.find((found) => found.taskId === id);
  return (
    <Switch>
      <Match when={model.error() && !model.tasks()}>
        <div data-slot="empty">
          <p>{model.error()}</p>
          <Button size="small" onClick={model.refresh}>
            {text().common.tryAgain}
          </Button>
        </div>
      </Match>
      <Match when={model.tasks()?.length === 0}>
        <div data-slot="empty">
          <p>{words().none}</p>
          <p data-slot="hint">{words().noneHint}</p>
        </div>
      </Match>
      <Match when={model.tasks()}>
        <div data-component="tasks">
          <For each={[true, false]}>
            {(running) => (
              <Show when={ids(running).length > 0}>
                <section aria-label={running ? words().running : words().over}>
                  <h3>{running ? words().running : words().over}</h3>
                  <ul role="list">
                    <For each={ids(running)}>{(id) => <Show when={task(id)}>{(found) => <TaskRow sessionId={props.sessionId} task={found()} />}</Show>}</For>
                  </ul>
                </section>
              </Show>
            )}
          </For>
        </div>
      </Match>
    </Switch>
  );
}
