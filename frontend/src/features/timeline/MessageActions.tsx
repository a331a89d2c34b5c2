import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import Ellipsis from "lucide-solid/icons/ellipsis";
import GitFork from "lucide-solid/icons/git-fork";
import Link from "lucide-solid/icons/link";
import Copy from "lucide-solid/icons/copy";
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { text as words } from "../../i18n";
import { CopyButton, writeClipboard } from "../../ui/markdown/CopyButton";
import { offer } from "../../lib/offers";
import { useApp } from "../../store/context";
import type { MessageState } from "../../store/state";
import { linkTo } from "../search/link";
import { watch } from "./hover";

/**
 * The actions of a message. The buttons are created once the message has been in view for a moment, or has the pointer
 * or focus, because messages that scroll past need none; the menu is created when opened.
 */
export function MessageActions(props: {
  sessionId: string;
  message: MessageState;
  /** Undefined while there is nothing to copy. */
  text: (() => string) | undefined;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const [near, setNear] = createSignal(false);
  const [made, setMade] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  let root!: HTMLDivElement;
  // Not a :hover style: the browser would check the whole content of a long message whenever the pointer enters or
  // leaves it.
  onMount(() => {
    const message = root.parentElement;
    if (!message) return;
    offer(message, { message: () => props.text?.() });
    onCleanup(watch(message, { stands: () => setMade(true), near: setNear }));
  });

  return (
    <div ref={root} data-slot="actions" data-near={near() || undefined} data-open={open() || undefined}>
      {made() && (
        <>
          <Show when={props.text}>{(text) => <CopyButton text={text()} label={words().blocks.copyMessage} />}</Show>
          <Show
            when={open()}
            fallback={
              <button
                ref={(el) => (button = el)}
                type="button"
                data-component="copy-button"
                aria-label={words().blocks.moreAbout}
                title={words().blocks.moreAbout}
                aria-haspopup="menu"
                onClick={() => setOpen(true)}
              >
                <Ellipsis size={14} />
              </button>
            }
          >
            <Menu
              sessionId={props.sessionId}
              message={props.message}
              text={props.text}
              onClose={() => {
                setOpen(false);
                queueMicrotask(() => button?.focus());
              }}
            />
          </Show>
        </>
      )}
    </div>
  );
}

function Menu(props: {
  sessionId: string;
  message: MessageState;
  text: (() => string) | undefined;
  onClose: () => void;
}): JSX.Element {
  const { actions } = useApp();
  const link = () => linkTo({ sessionId: props.sessionId, messageId: props.message.id });
  return (
    <DropdownMenu defaultOpen placement="bottom-end" gutter={4} onOpenChange={(open) => !open && props.onClose()}>
      <DropdownMenu.Trigger data-component="copy-button" aria-label={words().blocks.moreAbout}>
        <Ellipsis size={14} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content data-component="menu" aria-label={words().blocks.messageMenu}>
          <Show when={props.text}>
            {(text) => (
              <DropdownMenu.Item data-slot="item" onSelect={() => void writeClipboard(text()())}>
                <Copy />
                <DropdownMenu.ItemLabel data-slot="text">{words().blocks.copyMarkdown}</DropdownMenu.ItemLabel>
              </DropdownMenu.Item>
            )}
          </Show>
          <DropdownMenu.Item data-slot="item" onSelect={() => void writeClipboard(link())}>
            <Link />
            <DropdownMenu.ItemLabel data-slot="text">{words().blocks.copyLink}</DropdownMenu.ItemLabel>
            <DropdownMenu.ItemDescription data-slot="about">{words().blocks.copyLinkAbout}</DropdownMenu.ItemDescription>
          </DropdownMenu.Item>
          <DropdownMenu.Item data-slot="item" onSelect={() => void actions.fork(props.sessionId, props.message.id)}>
            <GitFork />
            <DropdownMenu.ItemLabel data-slot="text">{words().blocks.fork}</DropdownMenu.ItemLabel>
            <DropdownMenu.ItemDescription data-slot="about">{words().blocks.forkAbout}</DropdownMenu.ItemDescription>
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}
