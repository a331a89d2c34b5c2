import { For, type JSX } from "solid-js";
import type { Problem } from "../../host/border.gen";
import { text } from "../../i18n";
import { Field } from "../../ui/field";

const names = ["date", "time", "datetime", "zone", "name", "workspace", "folder", "due", "last", "lastAt", "lastState", "count"] as const;

/** The prompt, with placeholders that each run fills in. */
export function PromptField(props: { value: string; faults: readonly Problem[]; onChange: (prompt: string) => void; onTouch: () => void }): JSX.Element {
  let field!: HTMLTextAreaElement;
  const words = () => text().heartbeats;

  /** Inserts a placeholder at the caret, as if typed. */
  function insert(name: string): void {
    const { selectionStart, selectionEnd, value } = field;
    const put = `{{${name}}}`;
    field.focus();
    // execCommand keeps undo working, but is not available everywhere.
    if (!document.execCommand?.("insertText", false, put)) {
      field.value = value.slice(0, selectionStart) + put + value.slice(selectionEnd);
      field.setSelectionRange(selectionStart + put.length, selectionStart + put.length);
    }
    props.onChange(field.value);
  }

  return (
    <div data-slot="prompt">
      <Field label={words().form.prompt} hint={words().form.promptHint} faults={props.faults} wide>
        {(ids) => (
          <textarea
            ref={(el) => (field = el)}
            id={ids().id}
            rows={5}
            aria-describedby={ids().describedBy}
            aria-invalid={ids().invalid}
            value={props.value}
            onInput={(event) => props.onChange(event.currentTarget.value)}
            onBlur={() => props.onTouch()}
          />
        )}
      </Field>
      <details>
        <summary>{words().form.placeholders}</summary>
        <ul role="list" data-slot="placeholders">
          <For each={names}>
            {(name) => (
              <li>
                <button type="button" onClick={() => insert(name)}>
                  <code>{`{{${name}}}`}</code>
                  <span>{words().placeholders[name]}</span>
                </button>
              </li>
            )}
          </For>
        </ul>
      </details>
    </div>
  );
}
