import { createSignal, For, type JSX, onMount } from "solid-js";
import { number, text } from "../../i18n";
import { dates, dayWords } from "../../lib/dates";
import type { Plot } from "./history";
import { groups } from "./words";

type Row = (typeof groups)[number];

/** The last weeks: a row per outcome, a column per day. Tab reaches one cell, the arrow keys the others. */
export function DayGrid(props: { plot: Plot; day: number; onChoose: (day: number, group: Row) => void }): JSX.Element {
  const [at, setAt] = createSignal({ row: 0, column: -1 });
  const words = () => text().heartbeats.history;
  const column = () => (at().column < 0 ? props.plot.days.length - 1 : at().column);
  const count = (group: Row, i: number) => props.plot.counts[group][i] ?? 0;
  const dayNumber = (day: number) => dates({ day: "numeric" }).format(day).replace(/\.$/, "");
  const dayName = (day: number) => dates({ weekday: "narrow" }).format(day);
  let grid!: HTMLDivElement;

  // Scrolls to the newest days if there is no room for all.
  onMount(() => grid.querySelector('[role="row"]')?.lastElementChild?.scrollIntoView?.({ block: "nearest", inline: "end" }));

  function onKeyDown(event: KeyboardEvent): void {
    const rtl = getComputedStyle(grid).direction === "rtl" ? -1 : 1;
    const moves: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -rtl], ArrowRight: [0, rtl], Home: [0, -1000], End: [0, 1000] };
    const move = moves[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const row = Math.max(0, Math.min(groups.length - 1, at().row + move[0]));
    const to = Math.max(0, Math.min(props.plot.days.length - 1, column() + move[1]));
    setAt({ row, column: to });
    grid.querySelector<HTMLElement>(`[data-at="${row}:${to}"]`)?.focus();
  }

  return (
    <div data-slot="plot" role="grid" aria-label={words().plot} aria-description={words().plotAbout} ref={grid} onKeyDown={onKeyDown}>
      <div role="row" data-slot="days-row">
        <span role="columnheader" data-slot="corner">
          <span class="visually-hidden">{words().outcome}</span>
        </span>
        <For each={props.plot.days}>
          {(day) => (
            <span role="columnheader" aria-label={dayWords(day)} data-chosen={day === props.day || undefined}>
              <small>{dayName(day)}</small>
              {dayNumber(day)}
            </span>
          )}
        </For>
      </div>
      <For each={groups}>
        {(group, row) => (
          <div role="row">
            <span role="rowheader">{words().groups[group]}</span>
            <For each={props.plot.days}>
              {(day, i) => (
                <span role="gridcell" aria-selected={day === props.day}>
                  <button
                    type="button"
                    data-at={`${row()}:${i()}`}
                    data-group={count(group, i()) > 0 ? group : undefined}
                    data-chosen={day === props.day || undefined}
                    tabindex={at().row === row() && column() === i() ? 0 : -1}
                    aria-label={words().cell(dayWords(day), count(group, i()), words().groups[group])}
                    title={words().cell(dayWords(day), count(group, i()), words().groups[group])}
                    onFocus={() => setAt({ row: row(), column: i() })}
                    onClick={() => props.onChoose(day, group)}
                  >
                    {short(count(group, i()))}
                  </button>
                </span>
              )}
            </For>
          </div>
        )}
      </For>
    </div>
  );
}

const short = (n: number): string => (n === 0 ? "" : number(n, { notation: "compact", maximumFractionDigits: 0 }));
