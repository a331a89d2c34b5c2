import { Dialog as Kobalte } from "@kobalte/core/dialog";
import X from "lucide-solid/icons/x";
import { type JSX, Show } from "solid-js";
import { IconButton } from "./icon-button";
import "./dialog.css";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string;
  size?: "small" | "large";
  children: JSX.Element;
  footer?: JSX.Element;
}

/** A modal dialog: the focus stays inside, Esc closes it, the focus goes back to where it was. */
export function Dialog(props: DialogProps): JSX.Element {
  let content: HTMLElement | undefined;

  /** The focus goes to what the dialog is for, not to the button that closes it. */
  function focusFirst(event: Event): void {
    const target = content?.querySelector<HTMLElement>("[data-autofocus]") ?? content;
    event.preventDefault();
    target?.focus();
  }

  return (
    <Kobalte open={props.open} onOpenChange={props.onOpenChange}>
      <Kobalte.Portal>
        <Kobalte.Overlay data-component="dialog-overlay" />
        <div data-component="dialog-place">
          <Kobalte.Content
            ref={content}
            data-component="dialog"
            data-size={props.size ?? "small"}
            onOpenAutoFocus={focusFirst}
          >
            <header data-slot="header">
              <div>
                <Kobalte.Title data-slot="title">{props.title}</Kobalte.Title>
                <Show when={props.description}>
                  <Kobalte.Description data-slot="description">{props.description}</Kobalte.Description>
                </Show>
              </div>
              <IconButton label="Close" shortcut="Esc" onClick={() => props.onOpenChange(false)}>
                <X />
              </IconButton>
            </header>
            <div data-slot="body">{props.children}</div>
            <Show when={props.footer}>
              <footer data-slot="footer">{props.footer}</footer>
            </Show>
          </Kobalte.Content>
        </div>
      </Kobalte.Portal>
    </Kobalte>
  );
}
