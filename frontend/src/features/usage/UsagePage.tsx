import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { UsageReport } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { held } from "../../lib/held";
import { formatCost, formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Budgets } from "./Budgets";
import { Choice } from "./Choice";
import {
  allTokens, daysBetween, firstDay, type Listing, listings, type Measure, measures, type Range, ranges, seriesOf, type Stack, stacks,
} from "./model";
import { colours, Plot } from "./Plot";
import { createReading, type Reading } from "./read";
import { UsageTable } from "./UsageTable";

/** What was used over time: a plot, the same figures as a table, and the budgets. */
export function UsagePage(): JSX.Element {
  const { layout, actions } = useApp();
  const [range, setRange] = createSignal<Range>("30");
  const [measure, setMeasure] = createSignal<Measure>("tokens");
  const [stack, setStack] = createSignal<Stack>("model");
  const [list, setList] = createSignal<Listing>("day");
  const whole = createReading(() => ({ groupBy: [] }));
  const from = () => {
    const today = whole.report()?.today;
    return today === undefined ? "" : firstDay(range(), today);
  };
  const params = (groupBy: string[], limit: number) => (whole.report() === null ? null : { groupBy, limit, ...(from() === "" ? {} : { from: from() }) });
  const plotted = createReading(() => params(["day", stack()], 5000));
  const listed = createReading(() => params([list()], 1000));
  const report = held(whole.report);
  const words = () => text().usage;
  const empty = () => (whole.report()?.total.answers ?? 0) === 0 && (whole.report()?.total.costUSD ?? 0) === 0;

  function openSession(sessionId: string): void {
    layout.setOverlay(null);
    actions.open(sessionId);
  }

  return (
    <div data-component="usage" data-autofocus tabindex="-1">
      <Show when={whole.report()} fallback={<Waiting reading={whole} />}>
        <>
            <Show when={report().reading}>
              <p data-slot="aside" role="status">
                {words().stillReading}
              </p>
            </Show>
            <Show
              when={!empty()}
              fallback={
                <div data-slot="empty">
                  <strong>{words().none}</strong>
                  <p>{words().noneHint}</p>
                </div>
              }
            >
              <div data-slot="choices">
                <Choice label={words().range} value={range()} onChange={setRange} choices={ranges.map((id) => ({ id, name: words().ranges[id] }))} />
                <Choice label={words().measure} value={measure()} onChange={setMeasure} choices={measures.map((id) => ({ id, name: words().measures[id] }))} />
                <Choice label={words().stack} value={stack()} onChange={setStack} choices={stacks.map((id) => ({ id, name: words().stacks[id] }))} visible />
              </div>
              <Show when={plotted.report() && listed.report()} fallback={<Waiting reading={listed.error() ? listed : plotted} />}>
                <Show
                  when={(plotted.report()?.rows.length ?? 0) > 0}
                  fallback={
                    <div data-slot="empty">
                      <strong>{words().noneInRange}</strong>
                      <Button size="small" onClick={() => setRange("all")}>
                        {words().showAll}
                      </Button>
                    </div>
                  }
                >
                  <Figures report={plotted.report()} />
                  <Drawing report={plotted.report()} from={from() || report().since} measure={measure()} stack={stack()} />
                  <UsageTable
                    report={listed.report()}
                    by={list()}
                    choice={<Choice label={words().list} value={list()} onChange={setList} choices={listings.map((id) => ({ id, name: words().lists[id] }))} visible />}
                    onOpen={openSession}
                  />
                </Show>
              </Show>
            </Show>
            <Budgets />
        </>
      </Show>
    </div>
  );
}

function Waiting(props: { reading: Reading }): JSX.Element {
  return (
    <Show
      when={props.reading.error()}
      fallback={
        <p data-slot="aside" role="status">
          {text().usage.reading}
        </p>
      }
    >
      {(why) => (
        <div data-slot="empty" role="alert">
          <strong>{text().usage.failed}</strong>
          <p>{why()}</p>
          <Button size="small" onClick={() => props.reading.again()}>
            {text().usage.again}
          </Button>
        </div>
      )}
    </Show>
  );
}

/** The sums of the range. */
function Figures(props: { report: UsageReport | null }): JSX.Element {
  const total = () => props.report?.total;
  const words = () => text().usage.totals;
  return (
    <Show when={total()}>
      {(row) => (
        <dl data-slot="totals">
          <div>
            <dt>{words().cost}</dt>
            <dd>{formatCost(row().costUSD)}</dd>
          </div>
          <div>
            <dt>{words().tokens}</dt>
            <dd title={number(allTokens(row()))}>{formatTokens(allTokens(row()))}</dd>
          </div>
          <div>
            <dt>{words().answers}</dt>
            <dd>{number(row().answers)}</dd>
          </div>
          <Show when={row().unpriced > 0}>
            <div title={text().usage.partlyHint}>
              <dt>{words().unpriced}</dt>
              <dd>{formatTokens(row().unpriced)}</dd>
            </div>
          </Show>
        </dl>
      )}
    </Show>
  );
}

/** The plot with its colours. */
function Drawing(props: { report: UsageReport | null; from: string; measure: Measure; stack: Stack }): JSX.Element {
  const days = createMemo(() => (props.report && props.from !== "" ? daysBetween(props.from, props.report.today) : []));
  const series = createMemo(() => seriesOf(props.report?.rows ?? [], days(), props.stack, props.measure));
  return (
    <figure data-slot="drawing">
      <Plot
        days={days()}
        series={series()}
        measure={props.measure}
        label={text().usage.plot(text().usage.measures[props.measure], days()[0] ?? "", days().at(-1) ?? "")}
      />
      <ul role="list" data-slot="legend" aria-label={text().usage.legend}>
        <For each={series()}>
          {(one, i) => (
            <li>
              <span data-slot="swatch" aria-hidden="true" style={{ background: `var(${colours[Math.min(i(), colours.length - 1)]})` }} />
              <bdi>{one.name}</bdi>
            </li>
          )}
        </For>
      </ul>
    </figure>
  );
}
