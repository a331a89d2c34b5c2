import type { JSX } from "solid-js";
import { text as words } from "../../i18n";
import { nameOf } from "../../lib/whose";
import { LongText } from "../../ui/markdown";
import "./said.css";

/** What a user said instead of allowing the tool above it. */
export function Said(props: {
  text: string;
  /** Who it was, when that was somebody in a chat. */
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
