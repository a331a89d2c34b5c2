// Editing a tool call's input before allowing it.

import type { Accessor } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { text as words } from "../../i18n";
import { pretty, textField } from "../../lib/shape";
import { createPinnedRows } from "./draft-answers";

export interface InputEdit {
  /** The label of the field. */
  label: Accessor<string>;
  text: Accessor<string>;
  setText: (text: string) => void;
  /** The complete new input, undefined while the text is invalid. */
  input: Accessor<unknown>;
  /** The error in the text, "" for none. */
  error: Accessor<string>;
}

/** A command is edited as plain text, any other input as JSON. */
export function createInputEdit(question: Accessor<OpenQuestion>): InputEdit {
  const isCommand = () => question().toolName === "Bash" && textField(question().input, "command") !== "";
  const original = () => (isCommand() ? textField(question().input, "command") : pretty(question().input));
  const [changed, setText] = createPinnedRows<string | undefined>(question().requestId, "edit", undefined);
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
