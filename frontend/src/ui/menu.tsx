import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import Check from "lucide-solid/icons/check";
import { For, type JSX, Show } from "solid-js";
import "./menu.css";

export interface Choice {
  id: string;
  name: string;
  about?: string;
}

/** The items of a menu with one current choice. Goes inside a DropdownMenu. */
export function ChoiceMenu(props: {
  choices: readonly Choice[];
  value: string;
  onChange: (id: string) => void;
  label: string;
}): JSX.Element {
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content data-component="menu" aria-label={props.label}>
        <DropdownMenu.RadioGroup value={props.value} onChange={props.onChange}>
          <For each={props.choices}>
            {(choice) => (
              <DropdownMenu.RadioItem value={choice.id} data-slot="item">
                <DropdownMenu.ItemIndicator data-slot="check">
                  <Check />
                </DropdownMenu.ItemIndicator>
                <DropdownMenu.ItemLabel data-slot="text">{choice.name}</DropdownMenu.ItemLabel>
                <Show when={choice.about}>
                  <DropdownMenu.ItemDescription data-slot="about">{choice.about}</DropdownMenu.ItemDescription>
                </Show>
              </DropdownMenu.RadioItem>
            )}
          </For>
        </DropdownMenu.RadioGroup>
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  );
}
