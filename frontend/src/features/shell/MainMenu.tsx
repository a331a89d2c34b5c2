import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import Menu from "lucide-solid/icons/menu";
import { For, type JSX, Show } from "solid-js";
import { type Action, shownKeys } from "../../desk/shortcuts";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Kbd } from "../../ui/kbd";
import "../../ui/button.css";
import "../../ui/menu.css";

/** The entries that do not belong to a session, by action id. */
const groups = [
  ["heartbeats", "rooms", "memory", "permissions", "usage", "chat", "processes"],
  ["showArchive", "showTrash"],
  ["switcher", "shortcuts", "log", "settings"],
] as const;

/** The main menu: each place with its name and keys. */
export function MainMenu(props: { actions: () => readonly Action[] }): JSX.Element {
  const { host } = useApp();
  /** Run after the menu has closed: what it opens must not fight the menu for the focus. */
  let chosen: Action | undefined;
  const action = (id: string) => props.actions().find((one) => one.id === id);
  return (
    <DropdownMenu placement="top-start" gutter={6}>
      <DropdownMenu.Trigger data-component="button" data-variant="ghost" data-size="small">
        <Menu size={16} /> {text().shell.menu}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          data-component="menu"
          aria-label={text().shell.menu}
          onCloseAutoFocus={(event) => {
            if (!chosen) return;
            event.preventDefault();
            chosen.run();
            chosen = undefined;
          }}
        >
          <For each={groups}>
            {(ids, index) => (
              <>
                <Show when={index() > 0}>
                  <DropdownMenu.Separator data-slot="separator" />
                </Show>
                <For each={ids}>
                  {(id) => (
                    <DropdownMenu.Item data-slot="item" onSelect={() => (chosen = action(id))}>
                      <span data-slot="text">{action(id)?.name}</span>
                      <Show when={shownKeys(id, host.kind)}>{(keys) => <Kbd keys={keys()} />}</Show>
                    </DropdownMenu.Item>
                  )}
                </For>
              </>
            )}
          </For>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}
