import { Tooltip } from "@kobalte/core/tooltip";
import { createSignal, type JSX, splitProps } from "solid-js";
import { TooltipBubble } from "./tooltip";
import "./icon-button.css";

export interface IconButtonProps extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "type"> {
  /** Its name, for the tooltip and for screen readers. */
  label: string;
  shortcut?: string;
  variant?: "ghost" | "primary" | "secondary";
}

export function IconButton(props: IconButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, ["label", "shortcut", "variant"]);
  const [open, setOpen] = createSignal(false);
  // Kobalte's delay continues after a click: the tooltip would cover the dialog that the click opened, and take its Esc.
  let clicked = false;
  return (
    <Tooltip openDelay={500} closeDelay={0} gutter={6} open={open()} onOpenChange={(now) => setOpen(now && !clicked)}>
      <Tooltip.Trigger
        as="button"
        type="button"
        data-component="icon-button"
        data-variant={own.variant ?? "ghost"}
        aria-label={own.label}
        oncapture:pointerenter={() => (clicked = false)}
        oncapture:focus={() => (clicked = false)}
        oncapture:click={() => (clicked = true)}
        {...rest}
      />
      <TooltipBubble label={own.label} shortcut={own.shortcut} />
    </Tooltip>
  );
}
