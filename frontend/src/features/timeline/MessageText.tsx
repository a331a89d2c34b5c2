import type { JSX } from "solid-js";
import { text as words } from "../../i18n";
import { nameOf } from "../../lib/whose";
import { LongText } from "../../ui/markdown";
import "./said.css";

/** The user's message instead of allowing the tool call above it. */
export function MessageText(props: {
  text: string;
  /** The author, if it was a Mattermost user. */
  by: string;
}): JSX.Element {
  return (
    <blockquote data-component="said">
      <p data-slot="speaker">
        {nameOf(props.by) || words().blocks.you}
      </p>
      <LongText text={props.text} />
    </blockquote>
  );
}
