import MessageSquareText from "lucide-solid/icons/message-square-text";
import type { JSX } from "solid-js";
import type { Author } from "../../host/border.gen";
import { text } from "../../i18n";
import { ExactText } from "../../ui/exact-text";
import "./author.css";

/** Who wrote a prompt that was not written here. */
export function AuthorName(props: { author: Author; short?: boolean }): JSX.Element {
  const name = () => props.author.name || `@${props.author.username}`;
  return (
    <span
      data-component="author"
      role={props.short ? "img" : undefined}
      aria-label={props.short ? text().chat.author.from(name()) : undefined}
      title={props.short ? text().chat.author.from(name()) : `@${props.author.username}`}
    >
      <MessageSquareText size={12} aria-hidden="true" />
      <bdi>
        <ExactText text={props.short ? name() : text().chat.author.in(name())} />
      </bdi>
    </span>
  );
}
