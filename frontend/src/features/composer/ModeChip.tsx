import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import ChevronDown from "lucide-solid/icons/chevron-down";
import type { JSX } from "solid-js";
import { modeName, modes } from "../../lib/names";
import { ChoiceMenu } from "../../ui/menu";
import "./mode-chip.css";

/** What the session may do without asking, and the menu to change it. */
export function ModeChip(props: { mode: string; onChange: (mode: string) => void }): JSX.Element {
  return (
    <DropdownMenu placement="top-start" gutter={6}>
      <DropdownMenu.Trigger
        data-component="mode-chip"
        data-mode={props.mode || "default"}
        aria-label={`Permission mode: ${modeName(props.mode)}`}
        title="Permission mode (Shift+Tab)"
      >
        {modeName(props.mode)}
        <ChevronDown size={14} />
      </DropdownMenu.Trigger>
      <ChoiceMenu
        label="Permission mode"
        choices={modes}
        value={props.mode || "default"}
        onChange={(mode) => props.onChange(mode)}
      />
    </DropdownMenu>
  );
}
