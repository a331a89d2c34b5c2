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

/** A modal dialog: it traps the focus, Esc closes it, and the focus returns to where it was. */
export function Dialog(props: DialogProps): JSX.Element {
  let content: HTMLElement | undefined;
  let before: Element | null = null;

  /** Focuses the dialog's content, not its close button. */
  function focusFirst(event: Event): void {
    const target = content?.querySelector<HTMLElement>("[data-autofocus]") ?? content;
    event.preventDefault();
    before = document.activeElement;
    // Deferred: until then, a dialog below this one still takes the focus back, and signals read by blur handlers would
    // become dependencies.
    queueMicrotask(() => target?.focus());
  }

  /** There is no trigger, so the focus has to be restored here. Without it some browsers deliver no keys. */
  function focusBack(event: Event): void {
    event.preventDefault();
    // This runs late. A dialog opened in the meantime keeps the focus.
    const newer = document.activeElement?.closest('[role="dialog"]');
    if (newer && newer !== content && !newer.contains(before)) return;
    giveBack(before);
  }

  return (
    // The page never scrolls, so there is nothing to lock. With the lock, a menu opened by key searches endlessly for
    // the scroll container around it.
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
