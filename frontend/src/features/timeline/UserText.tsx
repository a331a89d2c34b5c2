import ChevronRight from "lucide-solid/icons/chevron-right";
import Paperclip from "lucide-solid/icons/paperclip";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Attachment } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { LongText, Markdown } from "../../lib/markdown";
import { formatBytes, formatClock } from "../../lib/time";
import type { MessageState } from "../../store/state";
import { ExactText } from "../../ui/exact-text";
import { AuthorName } from "../chat/AuthorName";
import { AttachedPicture } from "./AttachedPicture";
import { MessageActions } from "./MessageActions";
import "./user-text.css";

// A prompt longer than this is folded to its beginning.
const LONG_CHARS = 1600;
const LONG_LINES = 16;

/** What the person said; or what the CLI put into the conversation in their name. */
export function UserText(props: { message: MessageState; text: string; sessionId: string }): JSX.Element {
  return (
    <Show when={!props.message.synthetic} fallback={<Synthetic message={props.message} text={props.text} />}>
      <Prompt message={props.message} text={props.text} sessionId={props.sessionId} />
    </Show>
  );
}

function Prompt(props: { message: MessageState; text: string; sessionId: string }): JSX.Element {
  const [whole, setWhole] = createSignal(false);
  // Each with its place in the whole list, by which it is asked for.
  const attached = createMemo(() => (props.message.attachments ?? []).map((attachment, index) => ({ attachment, index })));
  const pictures = createMemo(() => attached().filter(({ attachment }) => isPicture(attachment)));
  const files = createMemo(() => attached().filter(({ attachment }) => !isPicture(attachment)));
  const long = () => props.text.length > LONG_CHARS || lines(props.text) > LONG_LINES;
  return (
    <article data-component="message" data-role="user" data-message-id={props.message.id}>
      <h2 class="visually-hidden">{speaker(props.message)}, {formatClock(props.message.at)}</h2>
      <Show when={props.message.author}>{(author) => <AuthorName author={author()} />}</Show>
      <div data-slot="prompt" title={formatClock(props.message.at)}>
        <Show when={props.text}>
          <div data-slot="words" data-folded={(long() && !whole()) || undefined}>
            <LongText text={props.text} />
          </div>
        </Show>
        <Show when={long()}>
          <button type="button" data-slot="more" aria-expanded={whole()} onClick={() => setWhole(!whole())}>
            {whole() ? words().blocks.showPart : words().blocks.showWhole}
          </button>
        </Show>
        <Show when={pictures().length > 0}>
          <ul data-slot="pictures" role="list">
            <For each={pictures()}>
              {({ attachment, index }) => (
                <li>
                  <AttachedPicture sessionId={props.sessionId} messageId={props.message.id} index={index} attachment={attachment} />
                </li>
              )}
            </For>
          </ul>
        </Show>
        <Show when={files().length > 0}>
          <ul data-slot="attachments" role="list">
            <For each={files()}>
              {({ attachment }) => (
                <li>
                  <Paperclip size={12} />
                  <span data-slot="name" dir="auto">
                    <ExactText text={attachment.name} />
                  </span>
                  <span data-slot="size">{formatBytes(attachment.bytes)}</span>
                </li>
              )}
            </For>
          </ul>
        </Show>
      </div>
      <MessageActions sessionId={props.sessionId} message={props.message} text={props.text ? () => props.text : undefined} />
    </article>
  );
}

/** Who said it, where it is read out. */
export const speaker = ({ author }: Pick<MessageState, "author">): string => (author ? words().chat.author.in(author.name || `@${author.username}`) : words().blocks.you);

const isPicture = ({ mediaType }: Attachment) => /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);

function Synthetic(props: { message: MessageState; text: string }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <article data-component="message" data-role="synthetic" data-message-id={props.message.id}>
      <h2 class="visually-hidden">{words().blocks.claudeCode}, {formatClock(props.message.at)}</h2>
      <button type="button" data-slot="fold" aria-expanded={open()} onClick={() => setOpen(!open())}>
        <ChevronRight size={14} />
        {words().blocks.told}
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
