import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import type { LogRecord } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { locale, number, text } from "../../i18n";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { Button } from "../../ui/button";
import { copyDiagnostics } from "./diagnostics";
import { Segmented } from "./Setting";

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

/** The maximum number of lines shown. */
const most = 500;

/** Parley's log, and the details for a bug report. */
export function LogPage(): JSX.Element {
  const app = useApp();
  const { host } = app;
  const [level, setLevel] = createSignal<Level>("info");
  const [query, setQuery] = createSignal("");
  const [follow, setFollow] = createSignal(true);
  const [problem, setProblem] = createSignal("");
  const [copied, setCopied] = createSignal(false);
  let list: HTMLOListElement | undefined;
  const words = () => text().settings.log;
  const clock = createMemo(() => new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit", second: "2-digit" }));

  const lines = () => ({ level: level(), limit: most, ...(query().trim() ? { text: query().trim() } : {}) });
  const page = createReading("log.list", lines, { anew: follow });
  onCleanup(host.onGlobal((event) => event.event === "log.grew" && follow() && void page.again()));
  createEffect(() => {
    if (page.answer() && follow() && list) list.scrollTop = list.scrollHeight;
  });
  const records = (): readonly LogRecord[] => page.answer()?.records ?? [];
  const dropped = () => page.answer()?.dropped ?? 0;
  const wrong = () => problem() || page.error();

  async function copy(): Promise<void> {
    setProblem("");
    try {
      await copyDiagnostics(app);
      setCopied(true);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <>
      <div data-slot="setting" id="setting-diagnostics">
        <div data-slot="words">
          <span data-slot="label">{words().copyDiagnostics}</span>
          <p data-slot="about">{words().copyAbout}</p>
        </div>
        <Button onClick={() => void copy()}>{copied() ? words().copied : words().copyDiagnostics}</Button>
      </div>
      <p data-slot="about" id="setting-log">
        {words().about}
      </p>
      <div data-slot="log-bar">
        <span class="visually-hidden" id="log-level">
          {words().level}
        </span>
        <Segmented
          labelledBy="log-level"
          choices={levels.map((id) => ({ id, name: words().levels[id] }))}
          value={level()}
          onChange={(id) => setLevel(levels.find((known) => known === id) ?? "info")}
        />
        <input
          type="search"
          data-component="text-field"
          aria-label={words().search}
          placeholder={words().search}
          value={query()}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <label data-slot="follow">
          <input type="checkbox" checked={follow()} onChange={(event) => setFollow(event.currentTarget.checked)} />
          {words().follow}
        </label>
      </div>
      <Show when={wrong()}>
        <p data-slot="error" role="alert">
          {wrong()}
        </p>
      </Show>
      <Show when={dropped() > 0}>
        <p data-slot="about">{words().dropped(dropped(), number(dropped()))}</p>
      </Show>
      <Show when={records().length > 0} fallback={<p data-slot="about">{words().empty}</p>}>
        <ol ref={list} data-slot="log" tabindex="0" aria-label={words().lines}>
          <For each={records()}>
            {(record) => (
              <li data-level={record.level}>
                <time>{clock().format(record.at)}</time>
                <b>{record.level}</b>
                <span>
                  {record.message} <i>{record.rest}</i>
                </span>
              </li>
            )}
          </For>
        </ol>
      </Show>
    </>
  );
}
