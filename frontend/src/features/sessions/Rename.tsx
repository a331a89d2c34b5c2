import { type JSX, onMount } from "solid-js";
import { isComposing } from "../../lib/keys";

/** Renames in place: Enter or blur saves, Esc cancels. */
export function Rename(props: {
  label: string;
  placeholder: string;
  value: string;
  onSave: (text: string) => void;
  /** byKey is true when a key ended it. */
  onDone: (byKey: boolean) => void;
}): JSX.Element {
  let input!: HTMLInputElement;
  let done = false;

  function finish(save: boolean, byKey: boolean): void {
    if (done) return;
    done = true;
    const text = input.value.trim();
    if (save && text !== props.value) props.onSave(text);
    props.onDone(byKey);
  }

  onMount(() => {
    input.focus();
    input.select();
  });

  return (
    <input
      ref={(el) => (input = el)}
      data-slot="rename"
      type="text"
      aria-label={props.label}
      placeholder={props.placeholder}
      value={props.value}
      maxLength={200}
      onBlur={() => finish(true, false)}
      onKeyDown={(event) => {
        // The list has its own meaning for these keys.
        event.stopPropagation();
        if (isComposing(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
        event.preventDefault();
        finish(event.key === "Enter", true);
      }}
    />
  );
}
