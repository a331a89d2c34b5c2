import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { textRows } from "../../lib/diff";
import { field, numberField, pretty, textField } from "../../lib/shape";
import { formatDuration } from "../../lib/time";
import { hasHidden } from "../../lib/visible";
import { Diff } from "../../ui/diff";
import { ExactText } from "../../ui/exact-text";

/** Everything there is to know about a call before it is made, nothing left out. */
export function WhatWillHappen(props: { question: OpenQuestion }): JSX.Element {
  const input = () => props.question.input;
  const text = (key: string) => textField(input(), key);
  const suspicious = createMemo(() => hasHidden(flat(input())));
  return (
    <>
      <Show when={props.question.description || text("description")}>
        {(words) => (
          <p data-slot="description">
            <ExactText text={words()} />
          </p>
        )}
      </Show>
      <Switch fallback={<Exact label="Input" text={pretty(input())} />}>
        <Match when={props.question.toolName === "Bash" && text("command")}>
          {(command) => <Exact label="Command" text={command()} />}
        </Match>
        <Match when={props.question.toolName === "Edit" && text("file_path")}>
          <div data-slot="exact" role="group" aria-label="Change" tabindex="0">
            <Diff rows={textRows(text("old_string"), text("new_string"), false)} whole />
          </div>
        </Match>
        <Match when={props.question.toolName === "Write" && text("file_path")}>
          <Exact label="Content" text={text("content")} />
        </Match>
        <Match when={props.question.toolName === "WebFetch" && text("url")}>
          {(url) => <Exact label="Address" text={url()} />}
        </Match>
      </Switch>
      <Show when={suspicious()}>
        <p data-slot="warning">This holds characters that are not visible. They are shown by their number.</p>
      </Show>
      <Facts question={props.question} />
    </>
  );
}

function Exact(props: { label: string; text: string }): JSX.Element {
  return (
    <pre data-slot="exact" role="group" aria-label={props.label} tabindex="0">
      <ExactText text={props.text} />
    </pre>
  );
}

function Facts(props: { question: OpenQuestion }): JSX.Element {
  const facts = (): [string, string][] => {
    const { question } = props;
    const { input } = question;
    const timeout = numberField(input, "timeout");
    const file = ["Edit", "Write"].includes(question.toolName) ? textField(input, "file_path") : "";
    const all: [string, string][] = [
      ["File", file],
      ["Folder", file === "" ? (question.cwd ?? "") : ""],
      ["Outside the folder", question.blockedPath ?? ""],
      ["Why it asks", question.reason ?? ""],
      ["To find out", question.toolName === "WebFetch" ? textField(input, "prompt") : ""],
      ["Every occurrence", field(input, "replace_all") === true ? "yes" : ""],
      ["In the background", field(input, "run_in_background") === true ? "yes" : ""],
      ["Sandbox", field(input, "dangerouslyDisableSandbox") === true ? "switched off for this command" : ""],
      ["Stops after", question.toolName === "Bash" && timeout !== null ? formatDuration(timeout) : ""],
    ];
    return all.filter(([, value]) => value !== "");
  };
  return (
    <dl data-slot="facts">
      <For each={facts()}>
        {([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <ExactText text={value} />
            </dd>
          </>
        )}
      </For>
    </dl>
  );
}

// The texts of an input as they are; JSON would write some of them as escapes.
function flat(value: unknown): string {
  if (typeof value === "string") return value.replaceAll("\r\n", "\n");
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(flat).join("\n");
}
