import { For, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { safeHref } from "../../lib/links";
import { LongText, Markdown } from "../../lib/markdown";
import { field, listField, numberField, textField } from "../../lib/shape";
import { formatBytes } from "../../lib/time";
import { fileNames } from "../../lib/tools";
import { Pane } from "../../ui/pane";
import { resultText } from "./note";
import { Result } from "./Result";

/** Files or lines that a search found. */
export function FilesDetail(props: { tool: Tool; cwd: string }): JSX.Element {
  const lines = () => textField(props.tool.structured, "content");
  const files = () => fileNames(props.tool.structured, props.cwd);
  const text = () => lines() || files().join("\n");
  const truncated = () => field(props.tool.structured, "truncated") === true;
  return (
    <>
      <Show when={text() !== "" && props.tool.state === "done"} fallback={<Result tool={props.tool} />}>
        <Pane label="Found">
          <pre data-slot="plain">
            <LongText text={text()} />
          </pre>
        </Pane>
      </Show>
      <Show when={truncated()}>
        <p data-slot="aside">There were more; the tool gave only these.</p>
      </Show>
    </>
  );
}

/** A page that was fetched and what was read from it. */
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
          <span data-slot="aside"> {status()}</span>
        </Show>
      </p>
      <Show when={textField(props.tool.input, "prompt")}>{(prompt) => <p data-slot="aside">{prompt()}</p>}</Show>
      <Show when={props.tool.state === "done"} fallback={<Result tool={props.tool} />}>
        <Pane label="What was read">
          <div data-slot="prose">
            <Markdown text={textField(props.tool.structured, "result") || resultText(props.tool)} />
          </div>
        </Pane>
      </Show>
    </>
  );
}

/** The pages that a web search found. */
export function WebSearchDetail(props: { tool: Tool }): JSX.Element {
  const hits = () =>
    listField(props.tool.structured, "results")
      .flatMap((result) => listField(result, "content"))
      .map((hit) => ({ title: textField(hit, "title"), url: textField(hit, "url") }))
      .filter((hit) => hit.url !== "");
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
    </Show>
  );
}

function Outside(props: { url: string; title: string }): JSX.Element {
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
