import { createEffect, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import type { Task, TaskOutput as Output } from "../../../host/border.gen";
import { messageOf } from "../../../host/host";
import { text } from "../../../i18n";
import { formatBytes } from "../../../lib/time";
import { useApp } from "../../../store/context";
import { Pane } from "../../../ui/pane";
import { TerminalText } from "../../../ui/terminal-text";
import { isActive } from "./model";

/** How often the output is reloaded while the task runs. */
const every = 1500;

/** The end of a task's output. */
export function TaskOutput(props: { sessionId: string; task: Task; name: string }): JSX.Element {
  const { host } = useApp();
  const [output, setOutput] = createSignal<Output>();
  const [error, setError] = createSignal("");
  const words = () => text().inspector.tasks;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gone = false;

  async function read(): Promise<void> {
    clearTimeout(timer);
    try {
      const found = await host.call("task.output", { sessionId: props.sessionId, taskId: props.task.taskId });
      if (gone) return;
      setOutput(found);
      setError("");
    } catch (failure) {
      // Keep the output read so far: the process may be gone.
      if (!gone) setError(messageOf(failure));
    }
    if (!gone && isActive(props.task)) timer = setTimeout(() => void read(), every);
  }

  createEffect(on(() => props.task.status, () => void read()));
  onCleanup(() => {
    gone = true;
    clearTimeout(timer);
  });

  return (
    <div data-slot="output">
      <Show when={output()?.text} fallback={<p data-slot="note">{error() || (output() ? words().noOutput : text().common.loading)}</p>}>
        {(written) => (
          <>
            <Show when={output()?.cut}>
              <p data-slot="note">{words().cut(formatBytes(new Blob([written()]).size), formatBytes(output()?.bytes ?? 0))}</p>
            </Show>
            <Pane label={words().outputOf(props.name)}>
              <TerminalText text={written()} />
            </Pane>
          </>
        )}
      </Show>
    </div>
  );
}
