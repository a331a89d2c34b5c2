import { Dialog as Kobalte } from "@kobalte/core/dialog";
import X from "lucide-solid/icons/x";
import { type JSX, Show } from "solid-js";
import { text } from "../i18n";
import { giveBack } from "../lib/keep-focus";
import { IconButton } from "./icon-button";
import "./dialog.css";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string | undefined;
  size?: "small" | "form" | "large" | "page";
  children: JSX.Element;
  footer?: JSX.Element;
}

/** A modal dialog: the focus stays inside, Esc closes it, the focus goes back to where it was. */
export function Dialog(props: DialogProps): JSX.Element {
  let content: HTMLElement | undefined;
  let before: Element | null = null;

  /** The focus goes to what the dialog is for, not to the button that closes it. */
  function focusFirst(event: Event): void {
    const target = content?.querySelector<HTMLElement>("[data-autofocus]") ?? content;
    event.preventDefault();
    before = document.activeElement;
    // A moment later: until then a dialog below this one still takes the focus back, and what
    // others do when they lose it would count as something that this one depends on.
    queueMicrotask(() => target?.focus());
  }

  /** Nothing opens it that it knows of, so it has to find the way back itself. Without it some browsers hear no keys. */
  function focusBack(event: Event): void {
    event.preventDefault();
    // This comes late. A dialog that was opened meanwhile has the focus for itself.
    const newer = document.activeElement?.closest('[role="dialog"]');
    if (newer && newer !== content && !newer.contains(before)) return;
    giveBack(before);
  }

  return (
    // The page never scrolls, so nothing has to keep it from that. With the lock, a menu that
    // is opened with a key looks for the edge of what scrolls around it without end.
    <Kobalte open={props.open} onOpenChange={props.onOpenChange} preventScroll={false}>
      <Kobalte.Portal>
        <Kobalte.Overlay data-component="dialog-overlay" />
        <div data-component="dialog-place">
          <Kobalte.Content
            ref={content}
            data-component="dialog"
            data-size={props.size ?? "small"}
            onOpenAutoFocus={focusFirst}
            onCloseAutoFocus={focusBack}
          >
            <header data-slot="header">
              <div>
                <Kobalte.Title data-slot="title">{props.title}</Kobalte.Title>
                <Show when={props.description}>
                  <Kobalte.Description data-slot="description">{props.description}</Kobalte.Description>
                </Show>
              </div>
              <IconButton label={text().common.close} shortcut="Esc" onClick={() => props.onOpenChange(false)}>
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
