import Ban from "lucide-solid/icons/ban";
import CircleCheck from "lucide-solid/icons/circle-check";
import CircleDashed from "lucide-solid/icons/circle-dashed";
import CirclePause from "lucide-solid/icons/circle-pause";
import CirclePlay from "lucide-solid/icons/circle-play";
import CircleSlash from "lucide-solid/icons/circle-slash";
import CircleX from "lucide-solid/icons/circle-x";
import Clock from "lucide-solid/icons/clock";
import ClockAlert from "lucide-solid/icons/clock-alert";
import Hand from "lucide-solid/icons/hand";
import OctagonX from "lucide-solid/icons/octagon-x";
import Power from "lucide-solid/icons/power";
import SkipForward from "lucide-solid/icons/skip-forward";
import { type Component, type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Heartbeat, HeartbeatRecord } from "../../host/border.gen";
import { text } from "../../i18n";
import { type Outcome, outcomeOf } from "./words";

type Icon = Component<{ size?: number; "aria-hidden"?: "true" }>;

const outcomes: Record<Outcome, Icon> = {
  due: Clock,
  started: CirclePlay,
  found: CircleCheck,
  nothing: CircleDashed,
  skipped: SkipForward,
  late: ClockAlert,
  missed: CircleSlash,
  failed: CircleX,
  cancelled: Ban,
};

const states: Record<string, Icon> = { idle: Clock, running: CirclePlay, waiting: Hand, off: Power, stopped: OctagonX, over: CirclePause };

/** The outcome of a due time, as an icon and a word. */
export function OutcomeMark(props: { record: Pick<HeartbeatRecord, "state" | "found">; children?: JSX.Element }): JSX.Element {
  const outcome = () => outcomeOf(props.record);
  return (
    <span data-slot="outcome" data-outcome={outcome()}>
      <Dynamic component={outcomes[outcome()]} size={14} aria-hidden="true" />
      <span>{props.children ?? text().heartbeats.outcomes[outcome()]}</span>
    </span>
  );
}

/** The state of a heartbeat, as an icon and a word. */
export function StateMark(props: { heartbeat: Pick<Heartbeat, "state">; paused: boolean; more?: string }): JSX.Element {
  const words = () => text().heartbeats;
  const held = () => props.paused && props.heartbeat.state === "idle";
  const name = () => {
    const names: Record<string, string> = words().states;
    return held() ? words().list.paused : (names[props.heartbeat.state] ?? props.heartbeat.state);
  };
  return (
    <span data-slot="state" data-state={held() ? "paused" : props.heartbeat.state}>
      <Dynamic component={held() ? CirclePause : (states[props.heartbeat.state] ?? Clock)} size={14} aria-hidden="true" />
      <span>
        {name()}
        <Show when={props.more}> {props.more}</Show>
      </span>
    </span>
  );
}
