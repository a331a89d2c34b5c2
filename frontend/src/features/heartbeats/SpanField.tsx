import { For, type JSX, Show } from "solid-js";
import type { Problem } from "../../host/border.gen";
import { text } from "../../i18n";
import { Field } from "../../ui/field";
import { type Span, type Unit, units } from "./schedule";

const usualUnits: readonly Unit[] = ["m", "h", "d"];

/** A number of minutes, hours or days. Any other duration is shown as written. */
export function SpanField(props: {
  label: string;
  hint?: string;
  /** The meaning of an empty field. */
  empty: string;
  value: Span;
  units?: readonly Unit[];
  faults: readonly Problem[];
  onChange: (span: Span) => void;
  onTouch: () => void;
}): JSX.Element {
  const words = () => text().heartbeats.form;
  const choices = () => {
    const usual = props.units ?? usualUnits;
    return usual.includes(props.value.unit) ? usual : [...usual, props.value.unit];
  };
  return (
    <Field label={props.label} faults={props.faults} {...(props.hint ? { hint: props.hint } : {})}>
      {(ids) => (
        <div data-slot="span">
          <Show
            when={props.value.raw === ""}
            fallback={
              <input
                type="text"
                data-component="text-field"
                id={ids().id}
                aria-describedby={ids().describedBy}
                aria-invalid={ids().invalid}
                spellcheck={false}
                value={props.value.raw}
                onInput={(event) => props.onChange({ ...props.value, raw: event.currentTarget.value })}
                onBlur={() => props.onTouch()}
              />
            }
          >
            <input
              type="number"
              min="1"
              step="any"
              data-component="text-field"
              id={ids().id}
              aria-describedby={ids().describedBy}
              aria-invalid={ids().invalid}
              placeholder={props.empty}
              value={props.value.n}
              onInput={(event) => props.onChange({ ...props.value, n: event.currentTarget.value })}
              onBlur={() => props.onTouch()}
            />
            <select
              data-component="text-field"
              aria-label={`${props.label}: ${words().unit}`}
              onChange={(event) => props.onChange({ ...props.value, unit: units.find((u) => u === event.currentTarget.value) ?? "m" })}
            >
              <For each={choices()}>
                {(unit) => (
                  <option value={unit} selected={unit === props.value.unit}>
                    {words().units[unit]}
                  </option>
                )}
              </For>
            </select>
          </Show>
        </div>
      )}
    </Field>
  );
}
