import { createSignal, type JSX, Show } from "solid-js";
import type { Task } from "../../../host/border.gen";
import { messageOf } from "../../../host/host";
import { text } from "../../../i18n";
import { createClock, formatDuration, formatElapsed, formatTokens } from "../../../lib/time";
import { useApp } from "../../../store/context";
import { Button } from "../../../ui/button";
import { isActive, hasOutput } from "./model";
import { TaskOutput } from "./TaskOutput";

/** One background task. */
export function TaskRow(props: { sessionId: string; task: Task }): JSX.Element {
  const { host, state, actions } = useApp();
  const [open, setOpen] = createSignal(false);
  const [stopping, setStopping] = createSignal(false);
  const [error, setError] = createSignal("");
  const words = () => text().inspector.tasks;
  const name = () => props.task.description || props.task.taskId;
  const kind = () => {
    const kinds: Record<string, string> = words().kinds;
    return props.task.agentType || kinds[props.task.type ?? ""] || words().kinds.other;
  };
  const status = () => {
    const states: Record<string, string> = words().states;
    return states[props.task.status] ?? props.task.status;
  };
  const talk = () => state.conversations[props.sessionId];
  const block = () => talk()?.toolBlocks[props.task.toolUseId ?? ""];
  const messageId = () => {
    const id = block();
    const messages = talk()?.messages;
    return id && messages ? Object.values(messages).find((message) => message.blockIds.includes(id))?.id : undefined;
  };
  const begun = () => talk()?.blocks[block() ?? ""]?.tool?.startedAt ?? 0;
  const about = () =>
    [
      kind(),
      props.task.lastTool && isActive(props.task) ? props.task.lastTool : "",
      props.task.toolUses ? words().uses(props.task.toolUses) : "",
      props.task.totalTokens ? words().tokens(formatTokens(props.task.totalTokens)) : "",
    ]
      .filter(Boolean)
      .join(" · ");

  async function stop(): Promise<void> {
    setStopping(true);
    setError("");
    try {
      await host.call("task.stop", { sessionId: props.sessionId, taskId: props.task.taskId });
    } catch (failure) {
      setError(messageOf(failure));
      setStopping(false);
    }
  }

  return (
    <li data-component="task-row" data-state={props.task.status}>
      <div data-slot="line">
        <span data-slot="dot" aria-hidden="true" />
        <span data-slot="name" title={name()}>
          {name()}
        </span>
        <span data-slot="time">
          <Show when={isActive(props.task)} fallback={`${status()}${props.task.durationMs ? ` · ${formatDuration(props.task.durationMs)}` : ""}`}>
            <Show when={begun() > 0} fallback={status()}>
              <Elapsed since={begun()} />
            </Show>
          </Show>
        </span>
      </div>
      <p data-slot="about">{about()}</p>
      <Show when={props.task.error || error()}>
        <p data-slot="error" role="alert">
          {props.task.error || error()}
        </p>
      </Show>
      <Show when={!isActive(props.task) && props.task.summary && props.task.summary !== name()}>
        <p data-slot="summary">{props.task.summary}</p>
      </Show>
      <div data-slot="acts">
        <Show when={hasOutput(props.task)}>
          <Button size="small" variant="ghost" aria-expanded={open()} onClick={() => setOpen(!open())}>
            {words().output}
          </Button>
        </Show>
        <Show when={messageId()}>
          {(id) => (
            <Button size="small" variant="ghost" onClick={() => void actions.jump(props.sessionId, { messageId: id() })}>
              {words().show}
            </Button>
          )}
        </Show>
        <Show when={isActive(props.task)}>
          <Button size="small" aria-label={words().stopNamed(name())} disabled={stopping()} onClick={() => void stop()}>
            {stopping() ? words().stopping : words().stop}
          </Button>
        </Show>
      </div>
      <Show when={open()}>
        <TaskOutput sessionId={props.sessionId} task={props.task} name={name()} />
      </Show>
    </li>
  );
}

function Elapsed(props: { since: number }): JSX.Element {
  const now = createClock(1000);
  return <>{formatElapsed(now() - props.since)}</>;
}
