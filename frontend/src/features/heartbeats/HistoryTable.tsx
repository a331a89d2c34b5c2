import MessageSquare from "lucide-solid/icons/message-square-text";
import Square from "lucide-solid/icons/square";
import { For, type JSX, Show } from "solid-js";
import type { HeartbeatRecord } from "../../host/border.gen";
import { text } from "../../i18n";
import { formatCost, formatDuration, formatElapsed, formatTokens } from "../../lib/time";
import { clockTime, moment } from "../../lib/dates";
import { IconButton } from "../../ui/icon-button";
import { OutcomeMark } from "./Outcome";
import { atOf } from "./history";
import { reasonOf } from "./words";

/** The delay from which it is shown. */
const noteworthy = 1000;

/** The outcomes of due times, one by one. */
export function HistoryTable(props: {
  records: readonly HeartbeatRecord[];
  now: number;
  onOpen: (sessionId: string) => void;
  onCancel: (record: HeartbeatRecord) => void;
}): JSX.Element {
  const words = () => text().heartbeats.history;
  return (
    <div data-slot="scroll" tabindex="0" role="group" aria-label={words().records}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words().columns.due}</th>
            <th scope="col">{words().columns.heartbeat}</th>
            <th scope="col">{words().columns.outcome}</th>
            <th scope="col">{words().columns.started}</th>
            <th scope="col" data-figure="">{words().columns.took}</th>
            <th scope="col" data-figure="">{words().columns.tokens}</th>
            <th scope="col" data-figure="">{words().columns.cost}</th>
            <th scope="col">
              <span class="visually-hidden">{words().columns.session}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.records}>{(record) => <Line record={record} now={props.now} onOpen={props.onOpen} onCancel={props.onCancel} />}</For>
        </tbody>
      </table>
    </div>
  );
}

function Line(props: { record: HeartbeatRecord; now: number; onOpen: (sessionId: string) => void; onCancel: (record: HeartbeatRecord) => void }): JSX.Element {
  const words = () => text().heartbeats.history;
  const one = () => props.record;
  const triggers: () => Record<string, string> = () => text().heartbeats.triggers;
  const why = () => [one().trigger === "schedule" ? "" : (triggers()[one().trigger] ?? ""), reasonOf(one()) || one().answer].filter(Boolean).join(" · ");
  const took = () => {
    if (one().startedAt === 0) return "";
    return one().endedAt > 0 ? formatDuration(one().endedAt - one().startedAt) : formatElapsed(props.now - one().startedAt);
  };
  const under = () => one().state === "started" || one().state === "due";
  return (
    <tr>
      <td data-slot="time">
        <time datetime={new Date(atOf(one())).toISOString()}>{moment(atOf(one()))}</time>
        <Show when={one().count > 1}>
          <small>{words().count(one().count, moment(one().firstAt))}</small>
        </Show>
      </td>
      <td data-slot="name">{one().name}</td>
      <td data-slot="became">
        <OutcomeMark record={one()} />
        <Show when={why()}>
          <small title={why()}>{why()}</small>
        </Show>
      </td>
      <td data-slot="time">
        <Show when={one().startedAt > 0} fallback={words().notStarted}>
          {clockTime(one().startedAt, true)}
          <Show when={one().lateMs >= noteworthy}>
            <small>{words().late(formatDuration(one().lateMs))}</small>
          </Show>
        </Show>
      </td>
      <td data-figure="">{took()}</td>
      <td data-figure="">
        <Show when={one().tokens > 0}>
          {formatTokens(one().tokens)}
          <small>{words().turns(one().turns)}</small>
        </Show>
      </td>
      <td data-figure="">{one().costUSD > 0 ? formatCost(one().costUSD) : ""}</td>
      <td data-slot="acts">
        <Show when={under()}>
          <IconButton label={words().stop(one().name)} onClick={() => props.onCancel(one())}>
            <Square fill="currentColor" />
          </IconButton>
        </Show>
        <Show when={one().sessionId}>
          <IconButton label={words().open(one().name, moment(atOf(one())))} onClick={() => props.onOpen(one().sessionId)}>
            <MessageSquare />
          </IconButton>
        </Show>
      </td>
    </tr>
  );
}
