import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { text as words, translated, translatedAround } from "../../i18n";
import { textRows } from "../../lib/diff";
import { field, numberField, pretty, textField } from "../../lib/shape";
import { formatDuration } from "../../lib/time";
import { hasHidden } from "../../lib/visible";
import { Diff } from "../../ui/diff";
import { ExactText } from "../../ui/exact-text";
import { Parts } from "./Parts";
import { Risk } from "./Risk";

/** All details of a call before it runs, unabridged. */
export function WhatWillHappen(props: { question: OpenQuestion }): JSX.Element {
  const input = () => props.question.input;
  const text = (key: string) => textField(input(), key);
  const suspicious = createMemo(() => hasHidden(flat(input())));
  return (
    <>
      <Show when={translatedAround(props.question.description ?? "") || text("description")}>
        {(said) => (
          <p data-slot="description">
            <ExactText text={said()} />
          </p>
        )}
      </Show>
      <Switch fallback={<Exact label={words().approval.exact.input} text={pretty(input())} />}>
        <Match when={props.question.toolName === "Bash" && text("command")}>
          {(command) => <Exact label={words().approval.exact.command} text={command()} />}
        </Match>
        <Match when={props.question.toolName === "Edit" && text("file_path")}>
          <div data-slot="exact" role="group" aria-label={words().approval.exact.change} tabindex="0">
            <Diff rows={textRows(text("old_string"), text("new_string"), false)} whole />
          </div>
        </Match>
        <Match when={props.question.toolName === "Write" && text("file_path")}>
          <Exact label={words().approval.exact.content} text={text("content")} />
        </Match>
        <Match when={props.question.toolName === "WebFetch" && text("url")}>
          {(url) => <Exact label={words().approval.exact.address} text={url()} />}
        </Match>
      </Switch>
      <Risk question={props.question} />
      <Parts question={props.question} />
      <Show when={suspicious()}>
        <p data-slot="warning">{words().approval.hidden}</p>
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
  const facts = (): [name: string, value: string, language?: "en"][] => {
    const { question } = props;
    const { input } = question;
    const timeout = numberField(input, "timeout");
    const file = ["Edit", "Write"].includes(question.toolName) ? textField(input, "file_path") : "";
    const names = words().approval.facts;
    const all: [string, string, "en"?][] = [
      [names.file, file],
      [names.folder, file === "" ? (question.cwd ?? "") : ""],
      [names.outside, question.blockedPath ?? ""],
      [names.why, ...said(question.reason)],
      [names.rules, ...said(question.verdict?.why)],
      [names.purpose, question.toolName === "WebFetch" ? textField(input, "prompt") : ""],
      [names.every, field(input, "replace_all") === true ? names.yes : ""],
      [names.background, field(input, "run_in_background") === true ? names.yes : ""],
      [names.sandbox, field(input, "dangerouslyDisableSandbox") === true ? names.sandboxOff : ""],
      [names.stopsAfter, question.toolName === "Bash" && timeout !== null ? formatDuration(timeout) : ""],
    ];
    return all.filter(([, value]) => value !== "");
  };
  // Sentences without a translation are in English.
  const said = (sentence = ""): [string, "en"?] => (translated(sentence) === sentence ? [sentence, "en"] : [translated(sentence)]);
  return (
    <dl data-slot="facts">
      <For each={facts()}>
        {([name, value, language]) => (
          <>
            <dt>{name}</dt>
            <dd lang={language}>
              <ExactText text={value} />
            </dd>
          </>
        )}
      </For>
    </dl>
  );
}

// The raw strings of an input; JSON would escape some characters.
function flat(value: unknown): string {
  if (typeof value === "string") return value.replaceAll("\r\n", "\n");
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(flat).join("\n");
}
