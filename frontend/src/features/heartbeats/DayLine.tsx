import { For, type JSX, Show } from "solid-js";
import type { HeartbeatRecord } from "../../host/border.gen";
import { number, text } from "../../i18n";
import { formatDuration } from "../../lib/time";
import { clockTime } from "../../lib/dates";
import { atOf, type Lane, mostBars } from "./history";
import { groupOf, outcomeName } from "./words";

const hours = [0, 6, 12, 18, 24];

/** One day as timelines, one per heartbeat. */
export function DayLine(props: { lanes: readonly Lane[]; cut: boolean; onOpen: (sessionId: string) => void }): JSX.Element {
  const words = () => text().heartbeats.history;
  const label = (record: HeartbeatRecord) =>
    words().bar(record.name, clockTime(atOf(record), true), outcomeName(record), record.startedAt > 0 && record.endedAt > 0 ? formatDuration(record.endedAt - record.startedAt) : "");
  return (
    <Show when={props.lanes.length > 0} fallback={<p data-slot="aside">{words().dayNone}</p>}>
      <div data-slot="lanes">
        <div data-slot="hours" aria-hidden="true">
          <For each={hours}>{(hour) => <span style={hour === 24 ? {} : { "inset-inline-start": `${(100 * hour) / 24}%` }}>{String(hour).padStart(2, "0")}</span>}</For>
        </div>
        <For each={props.lanes}>
          {(lane) => (
            <div data-slot="lane">
              <span data-slot="name" title={lane.name}>
                {lane.name}
              </span>
              <ul role="list" aria-label={lane.name}>
                <For each={lane.bars}>
                  {(bar) => (
                    <li style={{ "inset-inline-start": `${bar.start}%`, "inline-size": `max(6px, ${bar.width}%)` }}>
                      <button
                        type="button"
                        data-group={groupOf(bar.record)}
                        aria-label={label(bar.record)}
                        title={label(bar.record)}
                        disabled={bar.record.sessionId === ""}
                        onClick={() => props.onOpen(bar.record.sessionId)}
                      />
                    </li>
                  )}
                </For>
              </ul>
            </div>
          )}
        </For>
      </div>
      <Show when={props.cut}>
        <p data-slot="aside">{words().dayPart(number(mostBars))}</p>
      </Show>
    </Show>
  );
}
