import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import type { ResultContent, Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { CopyButton } from "../../ui/markdown";
import { JsonTree } from "../../ui/json-tree";
import { Pane } from "../../ui/pane";
import { Picture } from "../../ui/picture";
import { TerminalText } from "../../ui/terminal-text";
import { unmarked } from "./note";

// Longer results are shown as text: parsing them would block the page.
const MOST_JSON = 200_000;

export function Labelled(props: { label: string; children: JSX.Element }): JSX.Element {
  return (
    <div data-slot="labelled">
      <span data-slot="label">{props.label}</span>
      {props.children}
    </div>
  );
}

/** A result's texts and images. Renders nothing while there is none. */
export function Result(props: { tool: Tool; label?: string }): JSX.Element {
  const error = () => props.tool.state === "error";
  const parts = () => (props.tool.content ?? []).filter((part) => part.type !== "text" || part.text?.trim());
  return (
    <Show when={parts().length > 0}>
      <Labelled label={error() ? text().tools.error : (props.label ?? "")}>
        <For each={parts()}>{(part) => <Part part={part} error={error()} />}</For>
      </Labelled>
    </Show>
  );
}

function Part(props: { part: ResultContent; error: boolean }): JSX.Element {
  const words = () => unmarked(props.part.text ?? "");
  const tree = createMemo(() => (props.error ? null : jsonIn(words())));
  const label = () => (props.error ? text().tools.error : text().tools.result);
  return (
    <Switch fallback={<p data-slot="aside">{text().tools.unshown}</p>}>
      <Match when={props.part.type === "text"}>
        <Pane label={label()} tone={props.error ? "error" : undefined} corner={<CopyButton text={words} label={text().tools.copyResult} />}>
          <Show when={tree()} fallback={<TerminalText text={words()} />}>
            {(value) => <JsonTree value={value()} label={label()} />}
          </Show>
        </Pane>
      </Match>
      <Match when={props.part.type === "image" && imageUrl(props.part.mediaType, props.part.data)}>
        {(url) => <Picture src={url()} name={text().tools.imageFrom} />}
      </Match>
    </Switch>
  );
}

/** Parses a text as a JSON object or array, null for any other text. */
function jsonIn(words: string): object | null {
  if (words.length > MOST_JSON || !/^\s*[[{]/.test(words)) return null;
  try {
    const value: unknown = JSON.parse(words);
    return typeof value === "object" && value !== null && Object.keys(value).length > 0 ? value : null;
  } catch {
    return null;
  }
}

/** The data URL of an image of a passive type, null for any other. */
export function imageUrl(mediaType: string | undefined, data: string | undefined): string | null {
  if (!data || !/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType ?? "")) return null;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? `data:${mediaType};base64,${data}` : null;
}
