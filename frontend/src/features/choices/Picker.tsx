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

/** Choices of which one is in force. */
interface PickerGroup {
  label?: string;
  choices: readonly PickerChoice[];
  value: string;
  onChange: (id: string) => void;
}

export interface PickerProps {
  /** A chip in a row of tools, or a field of a form. */
  look: "chip" | "field";
  /** What is chosen here. */
  label: string;
  /** What is in force. */
  text: string;
  /** Before it. */
  icon?: JSX.Element;
  title?: string;
  /** Marks what is in force in the stylesheet. */
  state?: string;
  groups: readonly PickerGroup[];
  /** The choices are still being asked for. */
  busy?: boolean;
  /** Why there are no (new) choices, "" for nothing. */
  problem?: string;
  onRetry?: () => void;
  /** Takes the button. */
  ref?: (button: HTMLElement) => void;
  /** Called when the choices are about to be shown. */
  onOpen?: () => void;
  /** More to know, below the choices. */
  foot?: JSX.Element;
  /** More to do, below them. */
  action?: { name: string; run: () => void };
}

/** A button that says what is chosen, and the menu to choose something else. */
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
          {/* By place, not by what stands there: the focus is on one of them while the choices come in. */}
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
