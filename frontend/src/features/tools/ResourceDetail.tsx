import { For, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { CopyButton, LongText, Markdown } from "../../ui/markdown";
import { field, listField, numberField, textField } from "../../lib/shape";
import { formatBytes } from "../../lib/time";
import { Pane } from "../../ui/pane";
import { FilePath } from "./FilePath";
import { OtherDetail } from "./OtherDetail";
import { Labelled, Result } from "./Result";
import { Outside } from "./SearchDetail";

/** Resources of MCP servers: a list, or the content of one. */
export function ResourceDetail(props: { tool: Tool }): JSX.Element {
  const list = () => (Array.isArray(props.tool.structured) ? (props.tool.structured as unknown[]) : listField(props.tool.structured, "resources"));
  const contents = () => listField(props.tool.structured, "contents");
  return (
    <>
      <Show when={list().length > 0}>
        <ul data-slot="hits" role="list">
          <For each={list().slice(0, 200)}>
            {(resource) => (
              <li>
                {textField(resource, "name") || textField(resource, "uri")}{" "}
                <span data-slot="aside">{[textField(resource, "server"), textField(resource, "uri"), textField(resource, "mimeType")].filter(Boolean).join(" · ")}</span>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <For each={contents().slice(0, 50)}>
        {(part) => (
          <Labelled label={[textField(part, "uri"), textField(part, "mimeType")].filter(Boolean).join(" · ")}>
            <Show when={textField(part, "text")}>
              {(words) => (
                <Pane label={text().tools.content} corner={<CopyButton text={words} label={text().tools.copyContent} />}>
                  <pre data-slot="plain">
                    <LongText text={words()} />
                  </pre>
                </Pane>
              )}
            </Show>
            <FilePath path={textField(part, "blobSavedTo")} />
          </Labelled>
        )}
      </For>
      <Show when={list().length === 0 && contents().length === 0}>
        <Result tool={props.tool} />
      </Show>
    </>
  );
}

/** A page that was published, or a question about one. */
export function ArtifactDetail(props: { tool: Tool }): JSX.Element {
  const url = () => textField(props.tool.structured, "url") || textField(field(props.tool.structured, "read"), "url");
  const bytes = () => numberField(field(props.tool.structured, "read"), "bytes");
  return (
    <Show when={url() && props.tool.state === "done"} fallback={<OtherDetail tool={props.tool} />}>
      <p data-slot="path">
        <Outside url={url()} title={textField(props.tool.structured, "title")} />
        <Show when={bytes()}>{(n) => <span data-slot="aside">{formatBytes(n())}</span>}</Show>
      </p>
      <FilePath path={textField(props.tool.input, "file_path")} />
      <Show when={textField(field(props.tool.structured, "read"), "result")}>
        {(words) => (
          <Pane label={text().tools.whatWasRead}>
            <div data-slot="prose">
              <Markdown text={words()} />
            </div>
          </Pane>
        )}
      </Show>
    </Show>
  );
}
