import { For, type JSX, Match, Show, Switch } from "solid-js";
import type { ResultContent, Tool } from "../../host/border.gen";
import { CopyButton } from "../../lib/markdown";
import { Pane } from "../../ui/pane";
import { TerminalText } from "../../ui/terminal-text";

export function Labelled(props: { label: string; children: JSX.Element }): JSX.Element {
  return (
    <div data-slot="labelled">
      <span data-slot="label">{props.label}</span>
      {props.children}
    </div>
  );
}

/** A result's texts and images. Nothing for a tool that has none yet. */
export function Result(props: { tool: Tool; label?: string }): JSX.Element {
  const error = () => props.tool.state === "error";
  const parts = () => (props.tool.content ?? []).filter((part) => part.type !== "text" || part.text?.trim());
  return (
    <Show when={parts().length > 0}>
      <Labelled label={error() ? "Error" : (props.label ?? "")}>
        <For each={parts()}>{(part) => <Part part={part} error={error()} />}</For>
      </Labelled>
    </Show>
  );
}

function Part(props: { part: ResultContent; error: boolean }): JSX.Element {
  // The CLI marks errors for the model; a person sees that it is one.
  const text = () => (props.part.text ?? "").replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1");
  return (
    <Switch fallback={<p data-slot="aside">A part of the result that cannot be shown here.</p>}>
      <Match when={props.part.type === "text"}>
        <Pane
          label={props.error ? "Error" : "Result"}
          tone={props.error ? "error" : undefined}
          corner={<CopyButton text={text} label="Copy result" />}
        >
          <TerminalText text={text()} />
        </Pane>
      </Match>
      <Match when={props.part.type === "image" && imageUrl(props.part.mediaType, props.part.data)}>
        {(url) => <img data-slot="image" src={url()} alt="What the tool gave back" />}
      </Match>
    </Switch>
  );
}

/** The data URL of an image of a kind that cannot run anything, null for any other. */
export function imageUrl(mediaType: string | undefined, data: string | undefined): string | null {
  if (!data || !/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType ?? "")) return null;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? `data:${mediaType};base64,${data}` : null;
}
