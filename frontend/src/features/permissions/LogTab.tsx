import { createEffect, createSignal, For, type JSX, on, Show } from "solid-js";
import type { AuditRecord, AuditReport } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { saveFile } from "../../host/save-file";
import { answerers, type Chosen, everything, exported, filterOf, outcomes, timeIds } from "./log";
import { LogRecord } from "./LogRecord";
import { createReading } from "../../store/reading";
import { Trouble } from "../../ui/trouble";

/** All requests and answers, and whether the audit log is intact. */
export function LogTab(): JSX.Element {
  const app = useApp();
  const { latest } = app.layout;
  const { host, state, listing } = app;
  const words = () => text().permission.log;
  const [chosen, setChosen] = createSignal<Chosen>(everything);
  const [older, setOlder] = createSignal<AuditRecord[]>([]);
  const [next, setNext] = createSignal(0);
  const [report, setReport] = createSignal<AuditReport | null>(null);
  const [busy, setBusy] = createSignal<"" | "verify" | "export" | "more">("");
  const [said, setSaid] = createSignal("");
  const [problem, setProblem] = createSignal("");
  const change = (what: Partial<Chosen>) => setChosen({ ...chosen(), ...what });
  const filter = () => filterOf(chosen(), Date.now());
  const reading = createReading("audit.list", () => filter(), { globals: ["permissions.changed", "rules.changed"] });
  createEffect(
    on(reading.answer, (page) => {
      setOlder([]);
      setNext(page?.next ?? 0);
    }),
  );
  const records = () => [...(reading.answer()?.records ?? []), ...older()];
  const sessions = () => {
    const ids = listing.of("list").slice(0, 100).map(({ id }) => id);
    return [...new Set([...[latest() ?? []].flat(), ...ids])];
  };

  async function attempt(what: "verify" | "export" | "more", run: () => Promise<void>): Promise<void> {
    setBusy(what);
    setProblem("");
    try {
      await run();
    } catch (failure) {
      setProblem(messageOf(failure));
    } finally {
      setBusy("");
    }
  }
  const verify = () => attempt("verify", async () => void setReport(await host.call("audit.verify", {})));
  const save = () =>
    attempt("export", async () => {
      const path = await saveFile(host, "parley-audit.jsonl", "application/x-ndjson", await exported(host, filter()));
      setSaid(path ? words().saved(path) : "");
    });
  const more = () =>
    attempt("more", async () => {
      const page = await host.call("audit.list", { ...filter(), before: next() });
      setOlder([...older(), ...page.records]);
      setNext(page.next);
    });
  const verdict = (one: AuditReport) =>
    [one.ok ? words().ok(number(one.records)) : words().broken(one.problem ?? ""), one.missing > 0 ? words().missing(one.missing) : ""].filter(Boolean).join(" ");

  return (
    <>
      <div data-slot="filters">
        <Choice label={words().session} all={words().allSessions} value={chosen().session} choices={sessions().map((id) => [id, state.sessions[id]?.title || text().permission.rules.untitled])} onChange={(session) => change({ session })} />
        <label data-slot="field">
          <span>{words().tool}</span>
          <input type="text" data-component="text-field" placeholder={words().anyTool} spellcheck={false} value={chosen().tool} onChange={(event) => change({ tool: event.currentTarget.value })} />
        </label>
        <Choice label={words().outcome} all={words().anyOutcome} value={chosen().outcome} choices={outcomes.map((id) => [id, words().outcomes[id]])} onChange={(outcome) => change({ outcome })} />
        <Choice label={words().by} all={words().anybody} value={chosen().by} choices={answerers.map((id) => [id, words().bys[id]])} onChange={(by) => change({ by })} />
        <Choice label={words().time} value={chosen().time} choices={timeIds.map((id) => [id, words().times[id]])} onChange={(id) => change({ time: timeIds.find((one) => one === id) ?? "all" })} />
      </div>
      <div data-slot="tools">
        <Button size="small" disabled={busy() !== ""} onClick={() => void verify()}>
          {busy() === "verify" ? words().verifying : words().verify}
        </Button>
        <Button size="small" disabled={busy() !== ""} onClick={() => void save()}>
          {busy() === "export" ? words().exporting : words().export}
        </Button>
      </div>
      <div role="status">
        <Show when={report()}>
          {(one) => (
            <div data-slot="notice" data-bad={one().ok ? undefined : ""}>
              <div>
                <p>{verdict(one())}</p>
                <p data-slot="hash">{words().head(one().head)}</p>
              </div>
            </div>
          )}
        </Show>
        <Show when={said()}>
          <p data-slot="aside">{said()}</p>
        </Show>
      </div>
      <Show when={problem()}>
        <p data-slot="invalid" role="alert">{problem()}</p>
      </Show>
      <Show when={reading.answer()} fallback={<Trouble reading={reading} failed={text().permission.failed} />}>
        <Show when={records().length > 0} fallback={<p data-slot="aside">{chosen() === everything ? words().none : words().noneFound}</p>}>
          <ul role="list" data-slot="records" aria-label={text().permission.tabs.log}>
            <For each={records()}>{(record) => <LogRecord record={record} />}</For>
          </ul>
        </Show>
        <Show when={next() > 0}>
          <Button size="small" disabled={busy() !== ""} onClick={() => void more()}>
            {words().more}
          </Button>
        </Show>
      </Show>
    </>
  );
}

function Choice(props: { label: string; all?: string; value: string; choices: (readonly [string, string])[]; onChange: (id: string) => void }): JSX.Element {
  return (
    <label data-slot="field">
      <span>{props.label}</span>
      <select data-component="text-field" onChange={(event) => props.onChange(event.currentTarget.value)}>
        <Show when={props.all}>
          <option value="" selected={props.value === ""}>{props.all}</option>
        </Show>
        <For each={props.choices}>{([id, name]) => <option value={id} selected={id === props.value}>{name}</option>}</For>
      </select>
    </label>
  );
}
