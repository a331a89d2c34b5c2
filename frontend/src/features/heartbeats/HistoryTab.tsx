import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import { createClock } from "../../lib/time";
import { dayWords } from "../../lib/dates";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { DayLine } from "./DayLine";
import { DayGrid } from "./DayGrid";
import { createHistory, lanesOf, midnight, plotOf, atOf, tableSize } from "./history";
import { HistoryTable } from "./HistoryTable";
import type { HeartbeatsModel } from "./model";
import { NextTen } from "./NextTen";
import { type Group, groups } from "./words";
import "./history.css";

/** Past runs: the last weeks as a plot, a day as a timeline, all of them as a table, and the upcoming ones. */
export function HistoryTab(props: { model: HeartbeatsModel }): JSX.Element {
  const { host } = useApp();
  const [group, setGroup] = createSignal<Group | "">("");
  const [day, setDay] = createSignal(0);
  const [shown, setShown] = createSignal(tableSize);
  const now = createClock(10_000);
  const history = createHistory(host, () => ({ name: props.model.filter(), group: group() }));
  const words = () => text().heartbeats.history;
  const plot = createMemo(() => plotOf(history.recent(), now()));
  const line = createMemo(() => lanesOf(history.recent(), day(), now()));
  const ofDay = () => (day() === 0 ? history.records() : history.records().filter((record) => midnight(atOf(record)) === day()));
  /** The listed heartbeats, and those that only have records left. */
  const names = createMemo(() => [...new Set([...props.model.names(), ...history.recent().map(({ name }) => name), ...(props.model.filter() ? [props.model.filter()] : [])])]);
  const moreToShow = () => ofDay().length > shown() || (history.more() && day() === 0);

  function older(): void {
    const before = shown();
    setShown(before + tableSize);
    if (ofDay().length < before + tableSize) history.older();
  }

  return (
    <>
      <div data-slot="filters">
        <label data-slot="field">
          <span>{words().heartbeat}</span>
          <select data-component="text-field" data-autofocus="" onChange={(event) => props.model.setFilter(event.currentTarget.value)}>
            <option value="" selected={props.model.filter() === ""}>
              {words().all}
            </option>
            <For each={names()}>{(name) => <option value={name} selected={name === props.model.filter()}>{name}</option>}</For>
          </select>
        </label>
        <label data-slot="field">
          <span>{words().outcome}</span>
          <select data-component="text-field" onChange={(event) => setGroup([...groups, "underway" as const].find((one) => one === event.currentTarget.value) ?? "")}>
            <option value="" selected={group() === ""}>
              {words().anyOutcome}
            </option>
            <For each={[...groups, "underway" as const]}>{(id) => <option value={id} selected={id === group()}>{words().groups[id]}</option>}</For>
          </select>
        </label>
      </div>
      <Show when={history.error()}>
        <div data-slot="notice" data-bad="" role="alert">
          <div>{history.error()}</div>
          <Button size="small" onClick={() => history.again()}>
            {text().common.tryAgain}
          </Button>
        </div>
      </Show>
      <Show when={history.read()} fallback={<Show when={!history.error()}><p data-slot="aside" role="status">{words().reading}</p></Show>}>
        <section data-slot="plot-part">
          <h3>{words().plot}</h3>
          <DayGrid
            plot={plot()}
            day={day()}
            onChoose={(at, id) => {
              setDay(at);
              setGroup((was) => (was === "" ? "" : id));
              setShown(tableSize);
            }}
          />
          <Show when={history.completeFrom()}>{(from) => <p data-slot="aside">{words().part(dayWords(from()))}</p>}</Show>
        </section>
        <Show when={day() > 0}>
          <section data-slot="day">
            <header>
              <h3>{words().day(dayWords(day()))}</h3>
              <Button size="small" variant="ghost" data-edge="end" onClick={() => setDay(0)}>
                {words().closeDay}
              </Button>
            </header>
            <DayLine lanes={line().lanes} cut={line().cut} onOpen={(sessionId) => props.model.openSession(sessionId)} />
          </section>
        </Show>
        <NextTen model={props.model} name={props.model.filter()} now={now()} />
        <section>
          <h3>{words().records}</h3>
          <Show
            when={ofDay().length > 0}
            fallback={<p data-slot="aside">{group() === "" && day() === 0 && props.model.filter() === "" ? words().none : words().noneFound}</p>}
          >
            <HistoryTable
              records={ofDay().slice(0, shown())}
              now={now()}
              onOpen={(sessionId) => props.model.openSession(sessionId)}
              onCancel={(record) => void props.model.cancel(record)}
            />
          </Show>
          <Show when={moreToShow()}>
            <Button size="small" disabled={history.busy()} onClick={older}>
              {history.busy() ? words().reading : words().older}
            </Button>
          </Show>
        </section>
      </Show>
    </>
  );
}

