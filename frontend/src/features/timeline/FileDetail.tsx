import { createMemo, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { CopyButton, LongText } from "../../lib/markdown";
import { field, numberField, textField } from "../../lib/shape";
import { plural } from "../../lib/time";
import { partialInput } from "../../lib/tools";
import { Diff } from "../../ui/diff";
import { Pane } from "../../ui/pane";
import { changeRows } from "./note";
import { imageUrl, Result } from "./Result";

function path(tool: Tool): string {
  return textField(tool.input ?? partialInput(tool.inputText ?? ""), "file_path");
}

/** A change of a file as a diff. */
export function EditDetail(props: { tool: Tool }): JSX.Element {
  const rows = createMemo(() => changeRows(props.tool));
  return (
    <>
      <p data-slot="path">{path(props.tool)}</p>
      <Show when={rows()}>
        {(found) => (
          <Pane label="Change">
            <Diff rows={found()} />
          </Pane>
        )}
      </Show>
      <Show when={props.tool.state === "error"}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}

/** A written file: what changed when it was there before, else its content. */
export function WriteDetail(props: { tool: Tool }): JSX.Element {
  const content = () => textField(props.tool.input ?? partialInput(props.tool.inputText ?? ""), "content");
  const isNew = () => textField(props.tool.structured, "type") !== "update";
  const rows = createMemo(() => (isNew() ? null : changeRows(props.tool)));
  return (
    <>
      <p data-slot="path">{path(props.tool)}</p>
      <Pane label="Content" corner={<CopyButton text={content} label="Copy content" />}>
        <Show
          when={rows()}
          fallback={
            <pre data-slot="plain">
              <LongText text={content()} />
            </pre>
          }
        >
          {(found) => <Diff rows={found()} />}
        </Show>
      </Pane>
      <Show when={props.tool.state === "error"}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}

/** A file that was read. */
export function ReadDetail(props: { tool: Tool }): JSX.Element {
  const file = () => field(props.tool.structured, "file");
  const text = () => textField(file(), "content");
  const image = () => imageUrl(textField(file(), "type"), textField(file(), "base64"));
  const part = () => {
    const lines = numberField(file(), "numLines");
    const total = numberField(file(), "totalLines");
    if (lines === null || total === null || lines === total) return "";
    const start = numberField(file(), "startLine") ?? 1;
    return `Lines ${start} to ${start + lines - 1} of ${plural(total, "line")}`;
  };
  return (
    <>
      <p data-slot="path">
        {path(props.tool)}
        <Show when={part()}>
          <span data-slot="aside"> {part()}</span>
        </Show>
      </p>
      <Show when={text() !== "" && props.tool.state === "done"} fallback={
        <Show when={image()} fallback={<Result tool={props.tool} />}>
          {(url) => <img data-slot="image" src={url()} alt={path(props.tool)} />}
        </Show>
      }>
        <Pane label="Content" corner={<CopyButton text={text} label="Copy content" />}>
          <pre data-slot="plain">
            <LongText text={text()} />
          </pre>
        </Pane>
      </Show>
    </>
  );
}
