import { createSignal, type JSX } from "solid-js";
import { text } from "../../i18n";
import { isComposing, isMod } from "../../lib/keys";
import { Button } from "../../ui/button";

/** An editor for a memory: Esc cancels, Mod+Enter saves. */
export function TextForm(props: {
  slot: "add" | "edit";
  begin?: string;
  rows: number;
  label: string;
  placeholder?: string;
  save: string;
  size?: "small";
  /** Saves the text and returns whether that succeeded. */
  onSave: (value: string) => Promise<boolean>;
  onDone: () => void;
  /** More content before the buttons. */
  children?: JSX.Element;
}): JSX.Element {
  const [value, setValue] = createSignal(props.begin ?? "");
  const [busy, setBusy] = createSignal(false);

  async function save(): Promise<void> {
    if (value().trim() === "" || busy()) return;
    setBusy(true);
    const saved = await props.onSave(value());
    setBusy(false);
    if (saved) props.onDone();
  }

  return (
    <form
      data-slot={props.slot}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (isComposing(event)) return;
        if (event.key === "Escape") {
          event.preventDefault();
          event.stopPropagation();
          props.onDone();
        }
        if (event.key === "Enter" && isMod(event)) void save();
      }}
    >
      <textarea
        ref={(el) => setTimeout(() => el.focus())}
        data-component="memory-text"
        dir="auto"
        rows={props.rows}
        aria-label={props.label}
        placeholder={props.placeholder}
        value={value()}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <div data-slot="actions">
        {props.children}
        <Button size={props.size} variant="ghost" onClick={() => props.onDone()}>
          {text().common.cancel}
        </Button>
        <Button size={props.size} variant="primary" type="submit" disabled={value().trim() === "" || busy()}>
          {props.save}
        </Button>
      </div>
    </form>
  );
}
