// Changing what a tool was going to do before it is allowed.

import { type Accessor, createSignal } from "solid-js";
import type { OpenQuestion } from "../../host/border.gen";
import { pretty, textField } from "../../lib/shape";

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
  const [changed, setText] = createSignal<string>();
  const text = () => changed() ?? original();

  const parsed = (): { input?: unknown; error: string } => {
    if (isCommand()) {
      if (text().trim() === "") return { error: "There is no command left." };
      return { input: { ...(question().input as object), command: text() }, error: "" };
    }
    try {
      const input: unknown = JSON.parse(text());
      const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
      return isObject ? { input, error: "" } : { error: "The input must be a JSON object." };
    } catch (failure) {
      return { error: failure instanceof SyntaxError ? `Not valid JSON: ${failure.message}` : "Not valid JSON." };
    }
  };
  return {
    label: () => (isCommand() ? "Command" : "Input as JSON"),
    text,
    setText,
    input: () => parsed().input,
    error: () => parsed().error,
  };
}
