import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import { Tooltip } from "@kobalte/core/tooltip";
import Ellipsis from "lucide-solid/icons/ellipsis";
import Play from "lucide-solid/icons/play";
import Square from "lucide-solid/icons/square";
import { type JSX, Show } from "solid-js";
import type { Heartbeat, HeartbeatList } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { formatElapsed, formatTokens } from "../../lib/time";
import { moment, relative } from "../../lib/dates";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { TooltipBubble } from "../../ui/tooltip";
import "../../ui/menu.css";
import { Button } from "../../ui/button";
import type { HeartbeatsModel } from "./model";
import { OutcomeMark, StateMark } from "./Outcome";
import { outcomeName, reasonOf, scheduleWords, spentWords } from "./words";

interface Props {
  heartbeat: Heartbeat;
  list: HeartbeatList;
  now: number;
  model: HeartbeatsModel;
  onDelete: () => void;
}

/** One heartbeat: its task, next run, last outcome, and cost. */
export function HeartbeatRow(props: Props): JSX.Element {
  const words = () => text().heartbeats.list;
  const one = () => props.heartbeat;
  const running = () => one().running;
  /** One that was turned off automatically does not run, even if enabled. */
  const on = () => one().enabled && one().state !== "stopped";
  const runningFor = () => {
    const run = running();
    return run && run.startedAt > 0 ? words().since(formatElapsed(props.now - run.startedAt)) : "";
  };
  const spent = () =>
    words().spent(spentWords(one().today), formatTokens(one().today.tokens), spentWords(one().month), formatTokens(one().month.tokens), one().month.runs);
  return (
    <div data-slot="row" data-state={one().state}>
      <div data-slot="what">
        <p data-slot="head">
          <strong>
            <ExactText text={one().name} />
          </strong>
          <StateMark heartbeat={one()} paused={props.list.paused} more={runningFor()} />
        </p>
        <p data-slot="when">{scheduleWords(one().schedule, one().words)}</p>
        <Show when={one().description}>
          {(about) => (
            <p data-slot="description" title={about()}>
              {about()}
            </p>
          )}
        </Show>
      </div>
      <div data-slot="times">
        <Next heartbeat={one()} list={props.list} now={props.now} onOpen={() => props.model.history(one().name)} />
        <Last heartbeat={one()} now={props.now} model={props.model} />
      </div>
      <p data-slot="spent" title={spent()}>
        <Show when={one().month.runs > 0}>
          <span>{words().today(spentWords(one().today))}</span>
          <span>{words().month(spentWords(one().month))}</span>
        </Show>
      </p>
      <div data-slot="acts">
        <input
          type="checkbox"
          role="switch"
          data-component="switch"
          aria-label={words().switch(one().name)}
          checked={on()}
          onChange={(event) => {
            const field = event.currentTarget;
            // Shows the actual state, not the requested one.
            void props.model.enable(one().name, field.checked).then((done) => done || (field.checked = on()));
          }}
        />
        <Show
          when={running()}
          fallback={
            <IconButton label={words().run(one().name)} onClick={() => void props.model.run(one().name)}>
              <Play />
            </IconButton>
          }
        >
          {(run) => (
            <IconButton label={words().cancel(one().name)} onClick={() => void props.model.cancel(run())}>
              <Square fill="currentColor" />
            </IconButton>
          )}
        </Show>
        <Menu {...props} />
      </div>
      <Show when={one().state === "stopped"}>
        <p data-slot="trouble">
          <span>{translated(one().why) || words().stoppedPlain}</span>
          <Button size="small" onClick={() => void props.model.enable(one().name, true)}>
            {words().again}
          </Button>
        </p>
      </Show>
      <Show when={one().state === "waiting" && running()?.sessionId}>
        {(sessionId) => (
          <p data-slot="trouble">
            <span>{words().answer}</span>
            <Button size="small" onClick={() => props.model.openSession(sessionId())}>
              {words().goAnswer}
            </Button>
          </p>
        )}
      </Show>
    </div>
  );
}

/** The next run: the time until then, and the exact time in the tooltip. */
function Next(props: { heartbeat: Heartbeat; list: HeartbeatList; now: number; onOpen: () => void }): JSX.Element {
  const words = () => text().heartbeats.list;
  // Runs that come due while all heartbeats are paused are skipped.
  const due = () => props.heartbeat.next > 0 && !(props.list.paused && (props.list.pausedUntil === 0 || props.heartbeat.next < props.list.pausedUntil));
  const exact = () => words().nextAt(moment(props.heartbeat.next, props.heartbeat.schedule.zone || props.list.zone));
  return (
    <Show when={due()} fallback={<Show when={props.heartbeat.state === "over"}><p data-slot="next">{words().noNext}</p></Show>}>
      <Tooltip openDelay={300} closeDelay={0} gutter={6}>
        <Tooltip.Trigger as="button" type="button" data-slot="next" aria-label={`${words().next(relative(props.heartbeat.next, props.now))}. ${exact()}`} onClick={() => props.onOpen()}>
          {words().next(relative(props.heartbeat.next, props.now))}
        </Tooltip.Trigger>
        <TooltipBubble label={exact()} />
      </Tooltip>
    </Show>
  );
}

function Last(props: { heartbeat: Heartbeat; now: number; model: HeartbeatsModel }): JSX.Element {
  const words = () => text().heartbeats.list;
  const at = () => props.heartbeat.last?.endedAt || props.heartbeat.last?.startedAt || props.heartbeat.last?.dueAt || 0;
  return (
    <Show when={props.heartbeat.last} fallback={<p data-slot="last">{words().neverRan}</p>}>
      {(last) => {
        const why = () => reasonOf(last()) || last().answer;
        // The visible text comes first, verbatim.
        const label = () => [`${words().last(outcomeName(last()), relative(at(), props.now))} ${why()}`.trim(), moment(at())].join(" · ");
        return (
          <Tooltip openDelay={300} closeDelay={0} gutter={6}>
            <Tooltip.Trigger
              as="button"
              type="button"
              data-slot="last"
              aria-label={label()}
              onClick={() => (last().sessionId ? props.model.openSession(last().sessionId) : props.model.history(props.heartbeat.name))}
            >
              <OutcomeMark record={last()}>
                {words().last(outcomeName(last()), relative(at(), props.now))}
              </OutcomeMark>{" "}
              <Show when={last().state === "failed" && props.heartbeat.state !== "stopped" && why()}>
                <span data-slot="why">{why()}</span>
              </Show>
            </Tooltip.Trigger>
            <TooltipBubble label={[moment(at()), why()].filter(Boolean).join("\n")} />
          </Tooltip>
        );
      }}
    </Show>
  );
}

function Menu(props: Props): JSX.Element {
  const words = () => text().heartbeats.menu;
  const session = () => props.heartbeat.running?.sessionId || props.heartbeat.last?.sessionId || "";
  const name = () => props.heartbeat.name;
  // A dialog that opens must not fight the menu for the focus.
  let after: (() => void) | null = null;
  const later = (act: () => void) => () => (after = act);
  return (
    <DropdownMenu placement="bottom-end" gutter={4}>
      <DropdownMenu.Trigger as="button" type="button" data-component="icon-button" data-variant="ghost" aria-label={text().heartbeats.list.more(name())} title={text().common.more}>
        <Ellipsis />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          data-component="menu"
          data-wide=""
          aria-label={text().heartbeats.list.more(name())}
          onCloseAutoFocus={(event) => {
            const act = after;
            after = null;
            if (!act) return;
            event.preventDefault();
            act();
          }}
        >
          <Item name={words().edit} onSelect={later(() => props.model.edit(props.heartbeat))} />
          <Item name={words().duplicate} onSelect={later(() => props.model.duplicate(props.heartbeat))} />
          <Item name={words().preview} onSelect={later(() => props.model.preview(name()))} />
          <DropdownMenu.Separator data-slot="separator" />
          <Item name={words().history} onSelect={later(() => props.model.history(name()))} />
          <Item name={words().session} disabled={session() === ""} onSelect={later(() => props.model.openSession(session()))} />
          <Item name={words().file} onSelect={later(() => props.model.goToLine(props.heartbeat.line, 1))} />
          <DropdownMenu.Separator data-slot="separator" />
          <Item name={words().delete} onSelect={later(() => props.onDelete())} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}

function Item(props: { name: string; disabled?: boolean; onSelect: () => void }): JSX.Element {
  return (
    <DropdownMenu.Item data-slot="item" disabled={props.disabled ?? false} onSelect={() => props.onSelect()}>
      <DropdownMenu.ItemLabel data-slot="text">{props.name}</DropdownMenu.ItemLabel>
    </DropdownMenu.Item>
  );
}
