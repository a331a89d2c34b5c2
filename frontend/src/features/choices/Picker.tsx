import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import Check from "lucide-solid/icons/check";
import ChevronDown from "lucide-solid/icons/chevron-down";
import RotateCw from "lucide-solid/icons/rotate-cw";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { Index, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { Choice } from "../../ui/menu";
import "../../ui/menu.css";
import "./picker.css";

export interface PickerChoice extends Choice {
  danger?: boolean;
}

/** A group of choices with one current value. */
interface PickerGroup {
  label?: string;
  choices: readonly PickerChoice[];
  value: string;
  onChange: (id: string) => void;
}

export interface PickerProps {
  /** A chip in a toolbar, or a form field. */
  look: "chip" | "field";
  /** The name of the choice. */
  label: string;
  /** The current value. */
  text: string;
  /** Shown before the text. */
  icon?: JSX.Element;
  title?: string;
  /** Exposes the current value to the stylesheet. */
  state?: string;
  groups: readonly PickerGroup[];
  /** Whether the choices are loading. */
  busy?: boolean;
  /** Why loading the choices failed, "" for none. */
  problem?: string;
  onRetry?: () => void;
  /** Receives the button. */
  ref?: (button: HTMLElement) => void;
  /** Called before the choices are shown. */
  onOpen?: () => void;
  /** Additional information below the choices. */
  foot?: JSX.Element;
  /** An additional action below them. */
  action?: { name: string; run: () => void };
}

/** A button with the current choice, and the menu to change it. */
export function Picker(props: PickerProps): JSX.Element {
  const choose = (group: PickerGroup, id: string) => {
    if (id !== group.value) group.onChange(id);
  };
  return (
    <DropdownMenu
      placement={props.look === "chip" ? "top-start" : "bottom-start"}
      gutter={6}
      onOpenChange={(open) => open && props.onOpen?.()}
    >
      <DropdownMenu.Trigger
        ref={(button: HTMLElement) => props.ref?.(button)}
        data-component="picker"
        data-look={props.look}
        data-state={props.state}
        aria-label={`${props.label}: ${props.text}`}
        title={props.title}
      >
        {props.icon}
        <span data-slot="text">{props.text}</span>
        <ChevronDown size={14} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content data-component="menu" data-picker="" aria-label={props.label}>
          {/* By index, not by item: one of them has the focus while the choices load. */}
          <Index each={props.groups.filter((g) => g.choices.length > 0)}>
            {(group, index) => (
              <>
                <Show when={index > 0}>
                  <DropdownMenu.Separator data-slot="separator" />
                </Show>
                <DropdownMenu.Group>
                  <Show when={group().label}>
                    <DropdownMenu.GroupLabel data-slot="group">{group().label}</DropdownMenu.GroupLabel>
                  </Show>
                  <DropdownMenu.RadioGroup value={group().value} onChange={(id) => choose(group(), id)}>
                    <Index each={group().choices}>{(choice) => <Item choice={choice()} />}</Index>
                  </DropdownMenu.RadioGroup>
                </DropdownMenu.Group>
              </>
            )}
          </Index>
          <Show when={props.busy && !props.problem && !props.groups.some((g) => g.choices.length > 1)}>
            <p data-slot="wait" role="status">
              {text().choices.asking}
            </p>
          </Show>
          <Show when={props.problem}>
            <div data-slot="problem">
              <p role="alert">{props.problem}</p>
              <DropdownMenu.Item data-slot="item" closeOnSelect={false} disabled={props.busy} onSelect={() => props.onRetry?.()}>
                <RotateCw />
                <DropdownMenu.ItemLabel data-slot="text">{props.busy ? text().choices.askingAgain : text().choices.askAgain}</DropdownMenu.ItemLabel>
              </DropdownMenu.Item>
            </div>
          </Show>
          <Show when={props.foot}>
            <DropdownMenu.Separator data-slot="separator" />
            <div data-slot="foot">{props.foot}</div>
          </Show>
          <Show when={props.action}>
            {(action) => (
              <>
                <DropdownMenu.Separator data-slot="separator" />
                <DropdownMenu.Item data-slot="item" onSelect={() => action().run()}>
                  <DropdownMenu.ItemLabel data-slot="text">{action().name}</DropdownMenu.ItemLabel>
                </DropdownMenu.Item>
              </>
            )}
          </Show>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}

function Item(props: { choice: PickerChoice }): JSX.Element {
  return (
    <DropdownMenu.RadioItem
      closeOnSelect
      value={props.choice.id}
      data-slot="item"
      data-danger={props.choice.danger ? "" : undefined}
    >
      <DropdownMenu.ItemIndicator data-slot="check">
        <Check />
      </DropdownMenu.ItemIndicator>
      <DropdownMenu.ItemLabel data-slot="text">
        {props.choice.name}
        <Show when={props.choice.danger}>
          <TriangleAlert data-slot="danger" />
        </Show>
      </DropdownMenu.ItemLabel>
      <Show when={props.choice.about}>
        <DropdownMenu.ItemDescription data-slot="about">{props.choice.about}</DropdownMenu.ItemDescription>
      </Show>
    </DropdownMenu.RadioItem>
  );
}
