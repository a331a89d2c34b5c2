// Changing what a tool was going to do before it is allowed.

import type { Accessor } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { pretty, textField } from "../../lib/shape";
import { createKept } from "./kept";

export interface InputEdit {
  /** What is edited, for the heading of the field. */
  label: Accessor<string>;
  text: Accessor<string>;
  setText: (text: string) => void;
  /** The whole new input, undefined while the text is not a valid one. */
  input: Accessor<unknown>;
  /** What is wrong with the text, "" for nothing. */
  error: Accessor<string>;
}

/** A command is edited as itself, any other input as JSON. */
export function createInputEdit(question: Accessor<OpenQuestion>): InputEdit {
  const isCommand = () => question().toolName === "Bash" && textField(question().input, "command") !== "";
  const original = () => (isCommand() ? textField(question().input, "command") : pretty(question().input));
  const [changed, setText] = createKept<string | undefined>(question().requestId, "edit", undefined);
  const text = () => changed() ?? original();

  const parsed = (): { input?: unknown; error: string } => {
    if (isCommand()) {
      if (text().trim() === "") return { error: words().approval.edit.empty };
      return { input: { ...(question().input as object), command: text() }, error: "" };
    }
    try {
      const input: unknown = JSON.parse(text());
      const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
      return isObject ? { input, error: "" } : { error: words().approval.edit.object };
    } catch (failure) {
      return { error: words().approval.edit.invalid(failure instanceof SyntaxError ? failure.message : "") };
    }
  };
  return {
    label: () => (isCommand() ? words().approval.edit.command : words().approval.edit.json),
    text,
    setText,
    input: () => parsed().input,
    error: () => parsed().error,
  };
}
