import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import ChevronDown from "lucide-solid/icons/chevron-down";
import { For, type JSX, Show } from "solid-js";
import type { RuleOffer } from "../../host/border.gen";
import { text, translatedAround } from "../../i18n";
import { ExactText } from "../../ui/exact-text";
import type { Suggestion } from "./suggestions";
import "../../ui/button.css";
import "../../ui/menu.css";
import "./allow-and.css";

/** The other ways to allow: for the rest of the session, with a rule the user reviews first, or with edited input. */
export function AllowAnd(props: {
  /** The CLI's suggestions. */
  suggestions: Suggestion[];
  /** The rules Parley could create. */
  offers: readonly RuleOffer[];
  busy: boolean;
  /** Also allows the same call from now on; undefined if that is not possible or an offer does the same. */
  onRemember?: () => void;
  onSuggestion: (index: number) => void;
  onOffer: (index: number) => void;
  onChoose: () => void;
  onEdit: () => void;
}): JSX.Element {
  return (
    <DropdownMenu placement="top-start" gutter={6}>
      <DropdownMenu.Trigger
        data-component="button"
        data-variant="secondary"
        data-size="normal"
        aria-disabled={props.busy}
      >
        {text().approval.and.button} <ChevronDown size={14} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content data-component="menu" data-allow-and="" aria-label={text().approval.and.button}>
          <Show when={props.onRemember || props.suggestions.length > 0 || props.offers.length > 0}>
            <DropdownMenu.Group>
              <DropdownMenu.GroupLabel data-slot="group">{text().approval.and.session}</DropdownMenu.GroupLabel>
              <Show when={props.onRemember}>{(remember) => <Item label={text().approval.and.same} exact={[]} onSelect={() => remember()()} />}</Show>
              <For each={props.offers}>
                {(offer, index) => <Item label={translatedAround(offer.means)} exact={offer.rules} onSelect={() => props.onOffer(index())} />}
              </For>
              <For each={props.suggestions}>
                {(suggestion) => (
                  <Item label={suggestion.label} exact={suggestion.exact} onSelect={() => props.onSuggestion(suggestion.index)} />
                )}
              </For>
            </DropdownMenu.Group>
            <DropdownMenu.Separator data-slot="separator" />
          </Show>
          <Show when={props.offers.length > 0}>
            <DropdownMenu.Item data-slot="item" onSelect={() => props.onChoose()}>
              <DropdownMenu.ItemLabel data-slot="text">{text().approval.and.choose}</DropdownMenu.ItemLabel>
              <DropdownMenu.ItemDescription data-slot="about">{text().approval.and.chooseAbout}</DropdownMenu.ItemDescription>
            </DropdownMenu.Item>
          </Show>
          <Item label={text().approval.and.edit} exact={[]} onSelect={() => props.onEdit()} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}

function Item(props: { label: string; exact: readonly string[]; onSelect: () => void }): JSX.Element {
  return (
    <DropdownMenu.Item data-slot="item" onSelect={() => props.onSelect()}>
      <DropdownMenu.ItemLabel data-slot="text">
        {props.label}
        <For each={props.exact}>
          {(exact) => (
            <span data-slot="exact">
              <ExactText text={exact} />
            </span>
          )}
        </For>
      </DropdownMenu.ItemLabel>
    </DropdownMenu.Item>
  );
}
