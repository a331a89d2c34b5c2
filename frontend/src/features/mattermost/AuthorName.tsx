import MessageSquareText from "lucide-solid/icons/message-square-text";
import Smartphone from "lucide-solid/icons/smartphone";
import type { JSX } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Author } from "../../host/border.gen";
import { text } from "../../i18n";
import { ExactText } from "../../ui/exact-text";
import "./author.css";

/** The author of a prompt that was not written here. */
export function AuthorName(props: { author: Author; short?: boolean }): JSX.Element {
  const name = () => props.author.name || `@${props.author.username}`;
  const device = () => props.author.via === "device";
  const from = () => (device() ? text().chat.author.device(name()) : text().chat.author.from(name()));
  return (
    <span
      data-component="author"
      role={props.short ? "img" : undefined}
      aria-label={props.short ? from() : undefined}
      title={props.short || device() ? from() : `@${props.author.username}`}
    >
      <Dynamic component={device() ? Smartphone : MessageSquareText} size={12} aria-hidden="true" />
      <bdi>
        <ExactText text={props.short || device() ? name() : text().chat.author.in(name())} />
      </bdi>
    </span>
  );
}
