import RotateCw from "lucide-solid/icons/rotate-cw";
import Square from "lucide-solid/icons/square";
import { createEffect, createSignal, type JSX, onCleanup, Show } from "solid-js";
import type { Shell } from "../../host/border.gen";
import { text } from "../../i18n";
import { formatBytes, formatClock, formatDuration } from "../../lib/time";
import type { MessageState } from "../../store/state";
import { useApp } from "../../store/context";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { TerminalText } from "../../ui/terminal-text";
import "./shell-block.css";

/** A command the user ran, with its output. */
export function ShellBlock(props: { sessionId: string; message: MessageState; shell: Shell; output: string }): JSX.Element {
  const { host } = useApp();
  const words = () => text().composer.shell;
  const running = () => props.shell.state === "running";
  const [now, setNow] = createSignal(Date.now());
  createEffect(() => {
    if (!running()) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    onCleanup(() => clearInterval(timer));
  });
  const took = () => (running() ? Math.max(0, now() - props.message.at) : (props.shell.durationMs ?? 0));
  const outcome = () => {
    const { state, exitCode, signal } = props.shell;
    if (state === "running") return words().running;
    if (state === "stopped") return words().stopped;
    if (state === "failed") return words().failed;
    if (signal) return words().signal(signal);
    return exitCode === 0 ? words().done : words().exit(exitCode);
  };
  const bad = () => props.shell.state === "failed" || (props.shell.state === "done" && props.shell.exitCode !== 0);
  // If it can't be rerun or stopped, the session's next update shows why.
  const ask = (method: "stop" | "again") => {
    const { sessionId } = props;
    const call =
      method === "stop"
        ? host.call("shell.stop", { sessionId, messageId: props.message.id })
        : host.call("shell.run", { sessionId, command: props.shell.command });
    void call.catch(() => {});
  };
  return (
    <article data-component="shell-block" data-message-id={props.message.id} data-state={props.shell.state}>
      <h2 class="visually-hidden">
        {words().heading}, {formatClock(props.message.at)}
      </h2>
      <header data-slot="head">
        <span data-slot="sign" aria-hidden="true">
          !
        </span>
        <code data-slot="command">
          <ExactText text={props.shell.command} />
        </code>
        <span data-slot="outcome" data-bad={bad() ? "" : undefined}>
          {outcome()}
          {/* The CLI reports no duration for commands it ran itself. */}
          <Show when={took() || running()}> · {formatDuration(took())}</Show>
        </span>
        <Show
          when={running()}
          fallback={
            <IconButton label={words().again} onClick={() => ask("again")}>
              <RotateCw />
            </IconButton>
          }
        >
          <IconButton label={words().stop} data-slot="stop" onClick={() => ask("stop")}>
            <Square fill="currentColor" />
          </IconButton>
        </Show>
      </header>
      <Show when={props.output !== "" || props.shell.tail} fallback={<Show when={!running()}><p data-slot="nothing">{words().nothing}</p></Show>}>
        <div data-slot="output" tabindex="0" role="region" aria-label={props.shell.command}>
          <TerminalText text={props.output} />
          <Show when={props.shell.skipped}>
            <p data-slot="skipped">{words().skipped(formatBytes(props.shell.skipped ?? 0))}</p>
          </Show>
          <Show when={props.shell.tail}>
            <TerminalText text={props.shell.tail ?? ""} />
          </Show>
        </div>
      </Show>
    </article>
  );
}
