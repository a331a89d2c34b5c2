import { type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { CopyButton } from "../../lib/markdown";
import { field, textField } from "../../lib/shape";
import { partialInput } from "../../lib/tools";
import { ExactText } from "../../ui/exact-text";
import { Pane } from "../../ui/pane";
import { TerminalText } from "../../ui/terminal-text";
import { Labelled, Result } from "./Result";

/** A shell command and what it wrote. */
export function CommandDetail(props: { tool: Tool }): JSX.Element {
  const command = () => textField(props.tool.input ?? partialInput(props.tool.inputText ?? ""), "command");
  const stdout = () => textField(props.tool.structured, "stdout");
  const stderr = () => textField(props.tool.structured, "stderr");
  const interrupted = () => field(props.tool.structured, "interrupted") === true;
  const structured = () => stdout() !== "" || stderr() !== "";
  const silent = () => props.tool.state === "done" && !structured() && (props.tool.content ?? []).length === 0;

  return (
    <>
      <Show when={command()}>
        <Pane label="Command" corner={<CopyButton text={command} label="Copy command" />}>
          <pre data-slot="command">
            <ExactText text={command()} />
          </pre>
        </Pane>
      </Show>
      {/* What failed says so in the text that the model reads, which has it all. */}
      <Show when={props.tool.state !== "error" && structured()} fallback={<Result tool={props.tool} />}>
        <Show when={stdout()}>
          <Pane label="Output" corner={<CopyButton text={stdout} label="Copy output" />}>
            <TerminalText text={stdout()} />
          </Pane>
        </Show>
        <Show when={stderr()}>
          <Labelled label="Standard error">
            <Pane label="Standard error" corner={<CopyButton text={stderr} label="Copy standard error" />}>
              <TerminalText text={stderr()} />
            </Pane>
          </Labelled>
        </Show>
      </Show>
      <Show when={interrupted()}>
        <p data-slot="aside">The command was interrupted.</p>
      </Show>
      <Show when={silent()}>
        <p data-slot="aside">It wrote nothing.</p>
      </Show>
    </>
  );
}
