import { createMemo, For, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { CopyButton } from "../../ui/markdown";
import { CodeText } from "../../ui/markdown/CodeText";
import { field, numberField, textField } from "../../lib/shape";
import { formatBytes, formatDuration } from "../../lib/time";
import { partialInput } from "../../lib/tools";
import { Pane } from "../../ui/pane";
import { Picture } from "../../ui/picture";
import { TerminalText } from "../../ui/terminal-text";
import { FilePath } from "./FilePath";
import { wasCut } from "./note";
import { imageUrl, Labelled, Result } from "./Result";
import { Outside } from "./SearchDetail";

/** A shell command and its output. */
export function CommandDetail(props: { tool: Tool }): JSX.Element {
  const words = () => text().tools;
  const result = () => props.tool.structured;
  const command = () => textField(props.tool.input ?? partialInput(props.tool.inputText ?? ""), "command");
  const stdout = () => textField(result(), "stdout");
  const stderr = () => textField(result(), "stderr");
  const image = () => (field(result(), "isImage") === true ? picture(stdout()) : null);
  const structured = () => stdout() !== "" || stderr() !== "";
  const background = () => textField(result(), "backgroundTaskId");
  const silent = () => props.tool.state === "done" && !structured() && !background() && (props.tool.content ?? []).length === 0;
  const kept = () => textField(result(), "persistedOutputPath");
  const keptSize = () => numberField(result(), "persistedOutputSize");
  const asides = createMemo(() => {
    const timeout = numberField(result(), "timedOutAfterMs");
    return [
      timeout === null ? "" : words().timedOut(formatDuration(timeout)),
      background() && timeout === null ? words().backgroundId(background()) : "",
      field(result(), "interrupted") === true ? words().interrupted : "",
      kept() === "" && wasCut(stdout()) ? words().outputCut : "",
      textField(result(), "returnCodeInterpretation"),
      field(result(), "dangerouslyDisableSandbox") === true ? words().sandboxOff : "",
      silent() ? words().wroteNothing : "",
    ].filter(Boolean);
  });

  return (
    <>
      <Show when={textField(props.tool.input, "description")}>{(about) => <p data-slot="aside">{about()}</p>}</Show>
      <Show when={command()}>
        <Pane label={words().command} corner={<CopyButton text={command} label={words().copyCommand} />}>
          <pre data-slot="command">
            <CodeText text={command()} lang="bash" />
          </pre>
        </Pane>
      </Show>
      {/* On failure, the text for the model has everything. */}
      <Show when={props.tool.state !== "error" && structured()} fallback={<Result tool={props.tool} />}>
        <Show when={!image()} fallback={<Picture src={image() ?? ""} name={words().imageFrom} />}>
          <Show when={stdout()}>
            <Pane label={words().output} corner={<CopyButton text={stdout} label={words().copyOutput} />}>
              <TerminalText text={stdout()} />
            </Pane>
          </Show>
        </Show>
        <Show when={stderr()}>
          <Labelled label={words().standardError}>
            <Pane label={words().standardError} corner={<CopyButton text={stderr} label={words().copyStandardError} />}>
              <TerminalText text={stderr()} />
            </Pane>
          </Labelled>
        </Show>
      </Show>
      <Show when={kept()}>
        <p data-slot="aside">{keptSize() === null ? words().outputKeptUnknown : words().outputKept(formatBytes(keptSize() ?? 0))}</p>
        <FilePath path={kept()} />
      </Show>
      <For each={asides()}>{(aside) => <p data-slot="aside">{aside}</p>}</For>
      <GitWork operation={field(result(), "gitOperation")} />
    </>
  );
}

// An image is a data URL.
function picture(stdout: string): string | null {
  const found = /^data:([^;,]+);base64,([A-Za-z0-9+/=]+)\s*$/.exec(stdout);
  return found ? imageUrl(found[1], found[2]) : null;
}

/** The command's git operations, as detected by the CLI. */
function GitWork(props: { operation: unknown }): JSX.Element {
  const commit = () => textField(field(props.operation, "commit"), "sha");
  const branch = () => textField(field(props.operation, "commit"), "branch");
  const push = () => textField(field(props.operation, "push"), "branch");
  const request = () => field(props.operation, "pr");
  const requestNumber = () => numberField(request(), "number");
  return (
    <>
      <Show when={commit()}>
        <p data-slot="aside">{text().tools.committed(commit().slice(0, 10), branch())}</p>
      </Show>
      <Show when={push()}>
        <p data-slot="aside">{text().tools.pushed(push())}</p>
      </Show>
      <Show when={requestNumber()}>
        {(number) => (
          <p data-slot="aside">
            <Outside url={textField(request(), "url")} title={text().tools.pullRequest(number())} />
          </p>
        )}
      </Show>
    </>
  );
}
