import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import CirclePause from "lucide-solid/icons/circle-pause";
import Pause from "lucide-solid/icons/pause";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { HeartbeatList } from "../../host/border.gen";
import { text } from "../../i18n";
import { clockTime, moment } from "../../lib/dates";
import { Button } from "../../ui/button";
import "../../ui/menu.css";
import { midnight } from "./history";
import { wallTime } from "./schedule";

const hour = 3_600_000;
const morning = 8;

/** Pauses all heartbeats, for a while or indefinitely. */
export function PauseMenu(props: { onPause: (until: number) => void }): JSX.Element {
  const [custom, setCustom] = createSignal("");
  const words = () => text().heartbeats.pause;
  const tomorrow = () => midnight(Date.now(), -1) + morning * hour;
  const choices = () => [
    { name: words().hour, until: () => Date.now() + hour },
    { name: words().hours(4), until: () => Date.now() + 4 * hour },
    { name: words().tomorrow(clockTime(tomorrow())), until: tomorrow },
    { name: words().forever, until: () => 0 },
  ];
  const at = () => new Date(custom()).getTime();
  return (
    <>
      <DropdownMenu placement="bottom-start" gutter={6}>
        <DropdownMenu.Trigger as={Button}>
          <Pause size={14} /> {words().button}
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content data-component="menu" data-wide="" aria-label={words().button}>
            <For each={choices()}>
              {(choice) => (
                <DropdownMenu.Item data-slot="item" onSelect={() => props.onPause(choice.until())}>
                  <DropdownMenu.ItemLabel data-slot="text">{choice.name}</DropdownMenu.ItemLabel>
                </DropdownMenu.Item>
              )}
            </For>
            <DropdownMenu.Separator data-slot="separator" />
            <DropdownMenu.Item data-slot="item" onSelect={() => setCustom(wallTime(Date.now() + 24 * hour, ""))}>
              <DropdownMenu.ItemLabel data-slot="text">{words().custom}</DropdownMenu.ItemLabel>
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu>
      <Show when={custom() !== ""}>
        <form
          data-slot="until"
          onSubmit={(event) => {
            event.preventDefault();
            if (!(at() > Date.now())) return;
            props.onPause(at());
            setCustom("");
          }}
        >
          <input
            ref={(el) => setTimeout(() => el.focus())}
            type="datetime-local"
            data-component="text-field"
            aria-label={words().until}
            required
            min={wallTime(Date.now() + 60_000, "")}
            value={custom()}
            onInput={(event) => event.currentTarget.value !== "" && setCustom(event.currentTarget.value)}
          />
          <Button type="submit">{words().set}</Button>
          <Button variant="ghost" onClick={() => setCustom("")}>
            {text().common.cancel}
          </Button>
        </form>
      </Show>
    </>
  );
}

/** Shows that all heartbeats are paused, and until when, with a button to resume. */
export function PausedBar(props: { list: HeartbeatList; onResume: () => void }): JSX.Element {
  const words = () => text().heartbeats.pause;
  return (
    <Show when={props.list.paused}>
      <div data-slot="notice" role="status">
        <CirclePause size={16} aria-hidden="true" />
        <div>
          <strong>{props.list.pausedUntil > 0 ? words().pausedUntil(moment(props.list.pausedUntil)) : words().paused}</strong>
          <p>{words().about}</p>
        </div>
        <Button size="small" onClick={() => props.onResume()}>
          {words().resume}
        </Button>
      </div>
    </Show>
  );
}
