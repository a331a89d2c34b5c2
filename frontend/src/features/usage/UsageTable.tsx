import { createSignal, For, type JSX, Show } from "solid-js";
import type { UsageReport, UsageRow } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { locale, number, text } from "../../i18n";
import { writeClipboard } from "../../ui/markdown/CopyButton";
import { saveFile } from "../../host/save-file";
import { formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { allTokens, costIn, csvOf, type Listing, nameIn, timeOf } from "./model";

/** The values, with buttons to export them. */
export function UsageTable(props: { report: UsageReport | null; by: Listing; choice: JSX.Element; onOpen: (sessionId: string) => void }): JSX.Element {
  const [copied, setCopied] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  const { host } = useApp();
  const words = () => text().usage;
  /** Days are listed newest first. */
  const rows = () => {
    const list = props.report?.rows ?? [];
    return props.by === "day" ? list.toReversed() : list;
  };

  async function copy(): Promise<void> {
    setCopied(await writeClipboard(csvOf(rows(), props.by)));
    setTimeout(() => setCopied(false), 2000);
  }

  function save(): Promise<unknown> {
    return saveFile(host, `parley-usage-by-${props.by}.csv`, "text/csv", csvOf(rows(), props.by));
  }

  return (
    <section data-slot="listing">
      <header>
        {props.choice}
        <span data-slot="take">
          <Button size="small" variant="ghost" onClick={() => void copy()}>
            {copied() ? words().copied : words().copy}
          </Button>
          <Button size="small" variant="ghost" data-edge="end" onClick={() => void save().catch((error: unknown) => setProblem(messageOf(error)))}>
            {words().save}
          </Button>
        </span>
      </header>
      <Show when={problem()}>
        <p data-slot="error" role="alert">
          {problem()}
        </p>
      </Show>
      <div data-slot="scroll" tabindex="0" role="region" aria-label={words().lists[props.by]}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words().columns[props.by]}</th>
              <th scope="col">{words().columns.answers}</th>
              <th scope="col">{words().columns.input}</th>
              <th scope="col">{words().columns.cacheRead}</th>
              <th scope="col">{words().columns.cacheCreation}</th>
              <th scope="col">{words().columns.output}</th>
              <th scope="col">{words().columns.tokens}</th>
              <th scope="col">{words().columns.cost}</th>
            </tr>
          </thead>
          <tbody>
            <For each={rows()}>{(row) => <Row row={row} by={props.by} onOpen={props.onOpen} />}</For>
          </tbody>
        </table>
      </div>
      <Show when={(props.report?.more ?? 0) > 0}>
        <p data-slot="aside">{words().more(number(props.report?.more ?? 0))}</p>
      </Show>
    </section>
  );
}

function Row(props: { row: UsageRow; by: Listing; onOpen: (sessionId: string) => void }): JSX.Element {
  const words = () => text().usage;
  const name = () =>
    props.by === "day"
      ? new Date(timeOf(props.row.day)).toLocaleDateString(locale(), { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
      : nameIn(props.row, props.by);
  const partly = () => props.row.unpriced > 0 && props.row.costUSD > 0;
  return (
    <tr>
      <th scope="row" title={name()}>
        <Show when={props.by === "session" && !props.row.gone} fallback={<bdi>{name()}</bdi>}>
          <button type="button" data-slot="open" aria-label={words().open(name())} onClick={() => props.onOpen(props.row.sessionId)}>
            <bdi>{name()}</bdi>
          </button>
        </Show>
      </th>
      <td>{number(props.row.answers)}</td>
      <td>{number(props.row.tokens.inputTokens)}</td>
      <td>{number(props.row.tokens.cacheReadTokens)}</td>
      <td>{number(props.row.tokens.cacheCreationTokens)}</td>
      <td>{number(props.row.tokens.outputTokens)}</td>
      <td>{number(allTokens(props.row))}</td>
      <td data-none={(props.row.costUSD === 0 && props.row.unpriced > 0) || undefined}>
        {costIn(props.row)}
        <Show when={partly()}>
          <small title={words().partlyHint}>{words().partly(formatTokens(props.row.unpriced))}</small>
        </Show>
      </td>
    </tr>
  );
}
