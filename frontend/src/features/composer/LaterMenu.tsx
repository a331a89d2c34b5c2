import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import AlarmClock from "lucide-solid/icons/alarm-clock";
import { For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { Later } from "./later";

/** The times at which the draft may be sent. */
export function LaterMenu(props: { later: Later; onClosed: () => void }): JSX.Element {
  const words = () => text().composer.later;
  return (
    <DropdownMenu open={props.later.open()} onOpenChange={props.later.setOpen} placement="top-end" gutter={4}>
      <DropdownMenu.Trigger as="button" type="button" data-component="icon-button" data-variant="ghost" aria-label={words().menu} title={words().menu}>
        <AlarmClock />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          data-component="menu"
          aria-label={words().menu}
          onCloseAutoFocus={(event) => {
            // The draft may be gone, and the button with it.
            event.preventDefault();
            props.onClosed();
          }}
        >
          <Show
            when={props.later.whyNot() === ""}
            fallback={
              <DropdownMenu.Item data-slot="item" disabled>
                <DropdownMenu.ItemLabel data-slot="text">{props.later.whyNot()}</DropdownMenu.ItemLabel>
              </DropdownMenu.Item>
            }
          >
            <For each={props.later.moments()}>
              {(moment) => (
                <DropdownMenu.Item data-slot="item" onSelect={() => void props.later.schedule(moment.at)}>
                  <DropdownMenu.ItemLabel data-slot="text">{moment.name}</DropdownMenu.ItemLabel>
                </DropdownMenu.Item>
              )}
            </For>
          </Show>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}
