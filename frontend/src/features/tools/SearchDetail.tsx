import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { safeHref } from "../../lib/links";
import { LongText, Markdown } from "../../ui/markdown";
import { field, listField, numberField, textField, textsField } from "../../lib/shape";
import { formatBytes } from "../../lib/time";
import { ExactText } from "../../ui/exact-text";
import { Pane } from "../../ui/pane";
import { FilePath } from "./FilePath";
import { type FileHits, hitsOf } from "./hits";
import { resultText } from "./note";
import { Result } from "./Result";

const MOST_FILES = 30;
const MOST_LINES = 20;

/** Files or lines found by a search; a click opens them. */
export function FilesDetail(props: { tool: Tool }): JSX.Element {
  const [most, setMost] = createSignal(MOST_FILES);
  const files = createMemo(() => hitsOf(props.tool.structured));
  const content = () => textField(props.tool.structured, "content");
  const done = () => props.tool.state === "done";
  return (
    <>
      <Show
        when={done() && files()}
        fallback={
          <Show when={done() && content()} fallback={<Result tool={props.tool} />}>
            <Pane label={text().tools.found}>
              <pre data-slot="plain">
                <LongText text={content()} />
              </pre>
            </Pane>
          </Show>
        }
      >
        {(found) => (
          <Pane label={text().tools.found}>
            <ul data-slot="files" role="list">
              <For each={found().slice(0, most())}>{(file) => <FileRow file={file} />}</For>
            </ul>
            <Show when={found().length > most()}>
              <button type="button" data-slot="more" onClick={() => setMost(most() + 10 * MOST_FILES)}>
                {text().tools.moreFiles(found().length - most())}
              </button>
            </Show>
          </Pane>
        )}
      </Show>
      <Show when={field(props.tool.structured, "truncated") === true || numberField(props.tool.structured, "appliedLimit") !== null}>
        <p data-slot="aside">{text().tools.truncated}</p>
      </Show>
    </>
  );
}

function FileRow(props: { file: FileHits }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const lines = () => (all() ? props.file.lines : props.file.lines.slice(0, MOST_LINES));
  return (
    <li>
      <FilePath path={props.file.path} line={props.file.lines.find((line) => line.hit)?.line ?? null} aside={props.file.count === null ? "" : text().tools.matches(props.file.count)} />
      <Show when={lines().length > 0}>
        <div data-slot="found-lines">
          <For each={lines()}>
            {(line) => (
              <div data-hit={line.hit || undefined}>
                <span data-slot="number">{line.line}</span>
                <code>
                  <ExactText text={line.text.slice(0, 500)} />
                </code>
              </div>
            )}
          </For>
        </div>
      </Show>
      <Show when={lines().length < props.file.lines.length}>
        <button type="button" data-slot="more" onClick={() => setAll(true)}>
          {text().tools.moreLines(props.file.lines.length - lines().length)}
        </button>
      </Show>
    </li>
  );
}

/** A fetched page and what was extracted from it. */
export function FetchDetail(props: { tool: Tool }): JSX.Element {
  const status = () => {
    const code = numberField(props.tool.structured, "code");
    const bytes = numberField(props.tool.structured, "bytes");
    if (code === null) return "";
    return `${code} ${textField(props.tool.structured, "codeText")}${bytes === null ? "" : `, ${formatBytes(bytes)}`}`;
  };
  return (
    <>
      <p data-slot="path">
        <Outside url={textField(props.tool.input, "url")} title="" />
        <Show when={status()}>
          <span data-slot="aside">{status()}</span>
        </Show>
      </p>
      <Show when={textField(props.tool.input, "prompt")}>{(prompt) => <p data-slot="aside">{prompt()}</p>}</Show>
      <Show when={props.tool.state === "done"} fallback={<Result tool={props.tool} />}>
        <Pane label={text().tools.whatWasRead}>
          <div data-slot="prose">
            <Markdown text={textField(props.tool.structured, "result") || resultText(props.tool)} />
          </div>
        </Pane>
      </Show>
    </>
  );
}

/** The results of a web search, and its own summary. */
export function WebSearchDetail(props: { tool: Tool }): JSX.Element {
  const results = () => listField(props.tool.structured, "results");
  const hits = () =>
    results()
      .flatMap((result) => listField(result, "content"))
      .map((hit) => ({ title: textField(hit, "title"), url: textField(hit, "url") }))
      .filter((hit) => hit.url !== "");
  const said = () => textsField(props.tool.structured, "results").join("\n\n");
  return (
    <Show when={hits().length > 0} fallback={<Result tool={props.tool} />}>
      <ul data-slot="hits" role="list">
        <For each={hits()}>
          {(hit) => (
            <li>
              <Outside url={hit.url} title={hit.title} />
            </li>
          )}
        </For>
      </ul>
      <Show when={said()}>
        <Pane label={text().tools.answer}>
          <div data-slot="prose">
            <Markdown text={said()} />
          </div>
        </Pane>
      </Show>
    </Show>
  );
}

/** An external address, as a link if it may be followed. */
export function Outside(props: { url: string; title: string }): JSX.Element {
  const safe = () => safeHref(props.url);
  return (
    <Show when={safe()} fallback={<>{props.title || props.url}</>}>
      {(href) => (
        <>
          <a href={href()} title={href()} rel="noopener noreferrer" target="_blank">
            {props.title || href()}
          </a>
          <Show when={props.title}>
            <span data-slot="aside"> {new URL(href()).hostname}</span>
          </Show>
        </>
      )}
    </Show>
  );
}
