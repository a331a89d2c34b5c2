import { For, type JSX, Show } from "solid-js";
import type { Tool } from "../../host/border.gen";
import { locale, text } from "../../i18n";
import { cronWords } from "../../lib/cron";
import { Markdown } from "../../ui/markdown";
import { CodeText } from "../../ui/markdown/CodeText";
import { field, listField, numberField, textField } from "../../lib/shape";
import { formatDuration } from "../../lib/time";
import { toolKind } from "../../lib/tools";
import { Pane } from "../../ui/pane";
import { Labelled, Result } from "./Result";

/** Something scheduled: a schedule in words, a wake-up, a watch. */
export function ScheduleDetail(props: { tool: Tool }): JSX.Element {
  const words = () => text().tools;
  const result = () => props.tool.structured;
  const facts = () => {
    const { input } = props.tool;
    const wakes = numberField(result(), "scheduledFor");
    const next = numberField(result(), "nextFireAt");
    const deadline = numberField(input, "timeout_ms");
    return [
      // The card's line shows the time.
      toolKind(props.tool.name) === "CronCreate" ? (field(input, "recurring") === false ? words().once : words().every) : "",
      field(input, "durable") === true ? words().kept : "",
      next === null ? "" : words().nextAt(clock(next)),
      wakes === null ? "" : words().wakesAt(clock(wakes)),
      deadline === null ? "" : words().until(formatDuration(deadline)),
      textField(input, "reason"),
    ].filter(Boolean);
  };
  const address = () => textField(field(props.tool.input, "ws"), "url");
  return (
    <>
      <Show when={facts().length > 0}>
        <p data-slot="aside">{sentence(facts().join(" · "))}</p>
      </Show>
      <Show when={textField(props.tool.input, "command") || address()}>
        {(command) => (
          <Pane label={words().watches}>
            <pre data-slot="command">
              <CodeText text={command()} lang={address() ? "" : "bash"} />
            </pre>
          </Pane>
        )}
      </Show>
      <Show when={textField(props.tool.input, "prompt")}>
        {(prompt) => (
          <Labelled label={words().prompt}>
            <Pane label={words().prompt}>
              <div data-slot="prose">
                <Markdown text={prompt()} />
              </div>
            </Pane>
          </Labelled>
        )}
      </Show>
      <Show when={listField(result(), "jobs").length > 0} fallback={<Result tool={props.tool} />}>
        <ul data-slot="hits" role="list">
          <For each={listField(result(), "jobs").slice(0, 100)}>
            {(job) => (
              <li>
                {sentence(cronWords(textField(job, "cron")) || textField(job, "humanSchedule"))} <span data-slot="aside">{textField(job, "id")}</span>
                <p data-slot="aside">{textField(job, "prompt")}</p>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </>
  );
}

const sentence = (words: string) => words.charAt(0).toLocaleUpperCase(locale()) + words.slice(1);

function clock(at: number): string {
  return new Date(at).toLocaleString(locale(), { weekday: "short", hour: "2-digit", minute: "2-digit" });
}
