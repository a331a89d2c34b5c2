import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { UsageReport } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { stable } from "../../lib/stable";
import { formatCost, formatTokens } from "../../lib/time";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { PageBody } from "../../ui/page";
import { Trouble, type TroubleProps } from "../../ui/trouble";
import { Budgets } from "./Budgets";
import { Choice } from "./Choice";
import {
  allTokens, daysBetween, firstDay, type Listing, listings, type Measure, measures, type Range, ranges, seriesOf, type Stack, stacks,
} from "./model";
import { colours, Plot } from "./Plot";
import { createReading } from "../../store/reading";
import { UsageTable } from "./UsageTable";

/** Usage over time: a plot, the same values as a table, and the budgets. */
export function UsagePage(): JSX.Element {
  const { actions } = useApp();
  const [range, setRange] = createSignal<Range>("30");
  const [measure, setMeasure] = createSignal<Measure>("tokens");
  const [stack, setStack] = createSignal<Stack>("model");
  const [list, setList] = createSignal<Listing>("day");
  const whole = createReading("usage.query", () => ({ groupBy: [] }), { globals: ["usage.changed"] });
  const from = () => {
    const today = whole.answer()?.today;
    return today === undefined ? "" : firstDay(range(), today);
  };
  const params = (groupBy: string[], limit: number) => (whole.answer() === null ? null : { groupBy, limit, ...(from() === "" ? {} : { from: from() }) });
  const plotted = createReading("usage.query", () => params(["day", stack()], 5000), { globals: ["usage.changed"] });
  const listed = createReading("usage.query", () => params([list()], 1000), { globals: ["usage.changed"] });
  const report = stable(whole.answer);
  const words = () => text().usage;
  const empty = () => (whole.answer()?.total.answers ?? 0) === 0 && (whole.answer()?.total.costUSD ?? 0) === 0;

  return (
    <PageBody kind="usage" whole>
      <Show when={whole.answer()} fallback={<Waiting reading={whole} />}>
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
              <Show when={plotted.answer() && listed.answer()} fallback={<Waiting reading={listed.error() ? listed : plotted} />}>
                <Show
                  when={(plotted.answer()?.rows.length ?? 0) > 0}
                  fallback={
                    <div data-slot="empty">
                      <strong>{words().noneInRange}</strong>
                      <Button size="small" onClick={() => setRange("all")}>
                        {words().showAll}
                      </Button>
                    </div>
                  }
                >
                  <Figures report={plotted.answer()} />
                  <Drawing report={plotted.answer()} from={from() || report().since} measure={measure()} stack={stack()} />
                  <UsageTable
                    report={listed.answer()}
                    by={list()}
                    choice={<Choice label={words().list} value={list()} onChange={setList} choices={listings.map((id) => ({ id, name: words().lists[id] }))} visible />}
                    onOpen={actions.open}
                  />
                </Show>
              </Show>
            </Show>
            <Budgets />
        </>
      </Show>
    </PageBody>
  );
}

function Waiting(props: { reading: TroubleProps["reading"] }): JSX.Element {
  return <Trouble reading={props.reading} failed={text().usage.failed} loading={text().usage.reading} />;
}

/** The totals of the range. */
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

/** The plot with its legend. */
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
