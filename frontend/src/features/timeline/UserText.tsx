import ChevronRight from "lucide-solid/icons/chevron-right";
import Paperclip from "lucide-solid/icons/paperclip";
import { createMemo, createSignal, For, type JSX } from "solid-js";
import type { Attachment } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { choose } from "../../lib/choose";
import { LongText, Markdown } from "../../ui/markdown";
import { formatBytes, formatClock } from "../../lib/time";
import type { MessageState } from "../../store/state";
import { ExactText } from "../../ui/exact-text";
import { AuthorName } from "../mattermost/AuthorName";
import { AttachedPicture } from "./AttachedPicture";
import { MessageActions } from "./MessageActions";
import "./user-text.css";

// A longer prompt is folded to its beginning.
const LONG_CHARS = 1600;
const LONG_LINES = 16;

/** A user's prompt, or text that the CLI added in their name. */
export function UserText(props: { message: MessageState; text: string; sessionId: string }): JSX.Element {
  return choose(
    () => (props.message.synthetic ? "synthetic" : "prompt"),
    (kind) =>
      kind === "prompt" ? (
        <Prompt message={props.message} text={props.text} sessionId={props.sessionId} />
      ) : (
        <Synthetic message={props.message} text={props.text} />
      ),
  );
}

function Prompt(props: { message: MessageState; text: string; sessionId: string }): JSX.Element {
  const [whole, setWhole] = createSignal(false);
  // Each with its index in the whole list, which identifies it in requests.
  const attached = createMemo(() => (props.message.attachments ?? []).map((attachment, index) => ({ attachment, index })));
  const pictures = createMemo(() => attached().filter(({ attachment }) => isPicture(attachment)));
  const files = createMemo(() => attached().filter(({ attachment }) => !isPicture(attachment)));
  const long = () => props.text.length > LONG_CHARS || lines(props.text) > LONG_LINES;
  return (
    <article data-component="message" data-role="user" data-message-id={props.message.id}>
      <h2 class="visually-hidden">{speaker(props.message)}, {formatClock(props.message.at)}</h2>
      {props.message.author && <AuthorName author={props.message.author} />}
      <div data-slot="prompt" title={formatClock(props.message.at)}>
        {props.text && (
          <div data-slot="words" data-folded={(long() && !whole()) || undefined}>
            <LongText text={props.text} />
          </div>
        )}
        {long() && (
          <button type="button" data-slot="more" aria-expanded={whole()} onClick={() => setWhole(!whole())}>
            {whole() ? words().blocks.showPart : words().blocks.showWhole}
          </button>
        )}
        {pictures().length > 0 && (
          <ul data-slot="pictures" role="list">
            <For each={pictures()}>
              {({ attachment, index }) => (
                <li>
                  <AttachedPicture sessionId={props.sessionId} messageId={props.message.id} index={index} attachment={attachment} />
                </li>
              )}
            </For>
          </ul>
        )}
        {files().length > 0 && (
          <ul data-slot="attachments" role="list">
            <For each={files()}>
              {({ attachment }) => (
                <li>
                  <Paperclip size={12} />
                  <span data-slot="name" dir="auto">
                    <ExactText text={attachment.name} />
                  </span>
                  {attachment.bytes > 0 && <span data-slot="size">{formatBytes(attachment.bytes)}</span>}
                </li>
              )}
            </For>
          </ul>
        )}
      </div>
      <MessageActions sessionId={props.sessionId} message={props.message} text={props.text ? () => props.text : undefined} />
    </article>
  );
}

/** The author, for screen readers. */
export const speaker = ({ author }: Pick<MessageState, "author">): string => (!author ? words().blocks.you : author.via === "device" ? author.name : words().chat.author.in(author.name || `@${author.username}`));

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
      {open() && (
        <div data-slot="told">
          <Markdown text={props.text} />
        </div>
      )}
    </article>
  );
}

function lines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && count <= LONG_LINES; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
