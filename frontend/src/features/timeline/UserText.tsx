import ChevronRight from "lucide-solid/icons/chevron-right";
import Paperclip from "lucide-solid/icons/paperclip";
import { createSignal, For, type JSX, Show } from "solid-js";
import { CopyButton, LongText, Markdown } from "../../lib/markdown";
import { formatBytes, formatClock } from "../../lib/time";
import type { MessageState } from "../../store/state";
import "./user-text.css";

// A prompt longer than this is folded to its beginning.
const LONG_CHARS = 1600;
const LONG_LINES = 16;

/** What the person said; or what the CLI put into the conversation in their name. */
export function UserText(props: { message: MessageState; text: string }): JSX.Element {
  return (
    <Show when={!props.message.synthetic} fallback={<Synthetic message={props.message} text={props.text} />}>
      <Prompt message={props.message} text={props.text} />
    </Show>
  );
}

function Prompt(props: { message: MessageState; text: string }): JSX.Element {
  const [whole, setWhole] = createSignal(false);
  const long = () => props.text.length > LONG_CHARS || lines(props.text) > LONG_LINES;
  return (
    <article data-component="message" data-role="user" data-message-id={props.message.id}>
      <h2 class="visually-hidden">You, {formatClock(props.message.at)}</h2>
      <div data-slot="prompt" title={formatClock(props.message.at)}>
        <Show when={props.text}>
          <div data-slot="words" data-folded={(long() && !whole()) || undefined}>
            <LongText text={props.text} />
          </div>
        </Show>
        <Show when={long()}>
          <button type="button" data-slot="more" onClick={() => setWhole(!whole())}>
            {whole() ? "Show less" : "Show all"}
          </button>
        </Show>
        <Show when={(props.message.attachments ?? []).length > 0}>
          <ul data-slot="attachments" role="list">
            <For each={props.message.attachments}>
              {(attachment) => (
                <li>
                  <Paperclip size={12} />
                  <span>{attachment.name}</span>
                  <span data-slot="size">{formatBytes(attachment.bytes)}</span>
                </li>
              )}
            </For>
          </ul>
        </Show>
      </div>
      <Show when={props.text}>
        <div data-slot="actions">
          <CopyButton text={() => props.text} label="Copy message" />
        </div>
      </Show>
    </article>
  );
}

function Synthetic(props: { message: MessageState; text: string }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <article data-component="message" data-role="synthetic" data-message-id={props.message.id}>
      <h2 class="visually-hidden">Claude Code, {formatClock(props.message.at)}</h2>
      <button type="button" data-slot="fold" aria-expanded={open()} onClick={() => setOpen(!open())}>
        <ChevronRight size={14} />
        The CLI told the model something
      </button>
      <Show when={open()}>
        <div data-slot="told">
          <Markdown text={props.text} />
        </div>
      </Show>
    </article>
  );
}

function lines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && count <= LONG_LINES; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
