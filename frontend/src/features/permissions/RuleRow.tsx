import FileOutput from "lucide-solid/icons/file-output";
import Pencil from "lucide-solid/icons/pencil";
import Trash from "lucide-solid/icons/trash";
import { type JSX, Show } from "solid-js";
import type { Rule } from "../../host/border.gen";
import { text } from "../../i18n";
import { dayAndTime } from "../../lib/dates";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { Effect } from "./Effect";

/** A rule with its origin, its uses, and its actions; built-in rules are read-only. */
export function RuleRow(props: { rule: Rule; acts?: { edit: () => void; copy: () => void; revoke: () => void } }): JSX.Element {
  const words = () => text().permission.rules;
  const facts = () => {
    const { createdAt, uses, expiresAt } = props.rule;
    return [
      ...(createdAt > 0 ? [words().made(dayAndTime(createdAt))] : []),
      uses > 0 ? words().uses(uses) : words().unused,
      ...(expiresAt > 0 ? [words().until(dayAndTime(expiresAt))] : []),
    ].join(" · ");
  };
  return (
    <div data-slot="row">
      <Effect effect={props.rule.effect} />
      <div data-slot="what">
        <code>
          <ExactText text={props.rule.text} />
        </code>
        <Show when={props.acts && props.rule.note}>
          <p data-slot="note">
            <ExactText text={props.rule.note} />
          </p>
        </Show>
        <Show when={props.acts || props.rule.uses > 0}>
          <p data-slot="facts">{facts()}</p>
        </Show>
      </div>
      <Show when={props.acts}>
        {(acts) => (
          <div data-slot="acts">
            <IconButton label={words().edit(props.rule.text)} onClick={() => acts().edit()}>
              <Pencil />
            </IconButton>
            <IconButton label={words().copy(props.rule.text)} onClick={() => acts().copy()}>
              <FileOutput />
            </IconButton>
            <IconButton label={words().revoke(props.rule.text)} onClick={() => acts().revoke()}>
              <Trash />
            </IconButton>
          </div>
        )}
      </Show>
    </div>
  );
}
