import { Tooltip as Kobalte } from "@kobalte/core/tooltip";
import { type JSX, Show } from "solid-js";
import { inPlaceOf } from "../lib/chosen-keys";
import { Kbd } from "./kbd";
import "./tooltip.css";

/** The bubble of a Kobalte tooltip: a label and its keys. */
export function TooltipBubble(props: { label: string; shortcut?: string }): JSX.Element {
  return (
    <Kobalte.Portal>
      <Kobalte.Content data-component="tooltip">
        {props.label}
        <Show when={props.shortcut && inPlaceOf(props.shortcut)}>{(shortcut) => <Kbd keys={shortcut()} />}</Show>
      </Kobalte.Content>
    </Kobalte.Portal>
  );
}
