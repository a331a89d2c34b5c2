import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { languageOf } from "../../lib/languages";
import { CopyButton, Markdown } from "../../ui/markdown";
import { CodeText } from "../../ui/markdown/CodeText";
import { field, listField, numberField, textField } from "../../lib/shape";
import { formatBytes } from "../../lib/time";
import { partialInput } from "../../lib/tools";
import { Pane } from "../../ui/pane";
import { Picture } from "../../ui/picture";
import { TerminalText } from "../../ui/terminal-text";
import { FilePath } from "./FilePath";
import { imageUrl, Result } from "./Result";

/** The path a tool works on, even while its input is still streaming. */
export function pathOf(tool: Tool): string {
  const input = tool.input ?? partialInput(tool.inputText ?? "");
  return textField(input, "file_path") || textField(input, "notebook_path");
}

/** A file that was read. */
export function ReadDetail(props: { tool: Tool }): JSX.Element {
  const words = () => text().tools;
  const file = () => field(props.tool.structured, "file");
  const type = () => textField(props.tool.structured, "type");
  const content = () => textField(file(), "content");
  const size = () => formatBytes(numberField(file(), "originalSize") ?? 0);
  const first = () => numberField(file(), "startLine") ?? 1;
  const part = () => {
    const lines = numberField(file(), "numLines");
    const total = numberField(file(), "totalLines");
    return lines === null || total === null || lines === total ? "" : words().linesOf(first(), first() + lines - 1, total);
  };
  return (
    <>
      <FilePath path={pathOf(props.tool)} line={first() > 1 ? first() : null} aside={part()} />
      <Switch fallback={<Result tool={props.tool} />}>
        <Match when={props.tool.state === "done" && content() !== ""}>
          <Pane label={words().content} corner={<CopyButton text={content} label={words().copyContent} />}>
            <NumberedCode text={content()} path={pathOf(props.tool)} first={first()} />
          </Pane>
          <Show when={field(file(), "truncatedByTokenCap") === true}>
            <p data-slot="aside">{words().cutByLimit}</p>
          </Show>
        </Match>
        <Match when={imageUrl(textField(file(), "type"), textField(file(), "base64"))}>
          {(url) => <Picture src={url()} name={pathOf(props.tool)} />}
        </Match>
        <Match when={type() === "notebook"}>
          <Notebook cells={listField(file(), "cells")} />
        </Match>
        <Match when={type() === "pdf"}>
          <p data-slot="aside">{words().pdf(size())}</p>
        </Match>
        <Match when={type() === "parts"}>
          <p data-slot="aside">{words().pdfPages(numberField(file(), "count") ?? 0, size())}</p>
          <Result tool={props.tool} />
        </Match>
      </Switch>
    </>
  );
}

/** Code with its line numbers in the file. */
export function NumberedCode(props: { text: string; path: string; first: number }): JSX.Element {
  const numbers = createMemo(() => {
    const { length } = props.text.replace(/\n$/, "").split("\n");
    return Array.from({ length }, (_, i) => props.first + i).join("\n");
  });
  return (
    <div data-slot="numbered">
      <pre data-slot="numbers" aria-hidden="true">
        {numbers()}
      </pre>
      <pre data-slot="lines">
        <CodeText text={props.text} lang={languageOf(props.path)} />
      </pre>
    </div>
  );
}

// Beyond this many cells, they are shown as text only.
const MOST_CELLS = 60;

/** The cells of a notebook with their output. */
function Notebook(props: { cells: unknown[] }): JSX.Element {
  return (
    <Pane label={text().tools.content}>
      <For each={props.cells.slice(0, MOST_CELLS)}>
        {(cell, i) => (
          <div data-slot="cell">
            <span data-slot="label">{text().tools.cell(i() + 1)}</span>
            <Cell source={textOf(field(cell, "source"))} kind={textField(cell, "cellType") || textField(cell, "cell_type")} language={textField(cell, "language")} />
            <For each={listField(cell, "outputs")}>{(output) => <TerminalText text={textOf(field(output, "text"))} />}</For>
          </div>
        )}
      </For>
      <Show when={props.cells.length > MOST_CELLS}>
        <p data-slot="aside">{text().tools.cells(props.cells.length)}</p>
      </Show>
    </Pane>
  );
}

/** The source of one cell: prose or code. */
export function Cell(props: { source: string; kind: string; language: string }): JSX.Element {
  return (
    <Show
      when={props.kind === "markdown"}
      fallback={
        <pre data-slot="plain">
          <CodeText text={props.source} lang={props.language || "python"} />
        </pre>
      }
    >
      <div data-slot="prose">
        <Markdown text={props.source} />
      </div>
    </Show>
  );
}

// A notebook's text is an array of lines or a single string.
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : typeof value === "string" ? value : "";
}

