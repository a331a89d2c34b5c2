import { createSignal, type JSX } from "solid-js";
import { text } from "../../i18n";
import type { MemoryModel } from "./model";
import { TextForm } from "./TextForm";

/** Adds a memory for the user. */
export function AddForm(props: { model: MemoryModel; onDone: () => void }): JSX.Element {
  const [who, setWho] = createSignal("");
  const words = () => text().memory.add;
  return (
    <TextForm
      slot="add"
      rows={3}
      label={words().label}
      placeholder={words().placeholder}
      save={words().save}
      onSave={async (value) => (await props.model.save(value, who().trim(), props.model.scope() ?? "")) !== null}
      onDone={() => props.onDone()}
    >
      <input
        data-component="text-field"
        dir="auto"
        maxlength={40}
        spellcheck={false}
        aria-label={words().who}
        placeholder={words().who}
        value={who()}
        onInput={(event) => setWho(event.currentTarget.value)}
      />
    </TextForm>
  );
}
