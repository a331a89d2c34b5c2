import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import { text } from "../i18n";
import { parseAnsi, stripAnsi } from "../lib/ansi";
import { LongText } from "./markdown";
import { formatBytes } from "../lib/time";
import "./terminal-text.css";

// Longer output is shown without colors, and on demand.
const MOST = 60_000;

/** A program's terminal output, with colors. */
export function TerminalText(props: { text: string }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const runs = createMemo(() => parseAnsi(props.text.slice(0, MOST)));
  return (
    <div data-component="terminal-text">
      <Show when={!all()} fallback={<LongText text={stripAnsi(props.text)} />}>
        <For each={runs()}>
          {(run) => (
            <span
              data-color={run.color.startsWith("#") ? "figures" : run.color || undefined}
              style={run.color.startsWith("#") ? { "--figures": run.color } : undefined}
              data-bold={run.bold || undefined}
              data-dim={run.dim || undefined}
              data-italic={run.italic || undefined}
              data-underline={run.underline || undefined}
            >
              {run.text}
            </span>
          )}
        </For>
        <Show when={props.text.length > MOST}>
          <button type="button" data-slot="rest" onClick={() => setAll(true)}>
            {text().tools.showRest(formatBytes(props.text.length - MOST))}
          </button>
        </Show>
      </Show>
    </div>
  );
}
