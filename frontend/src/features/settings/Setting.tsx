import { createSignal, createUniqueId, type JSX, Show } from "solid-js";
import type { SettingsPatch } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { number, text } from "../../i18n";
import { isComposing } from "../../lib/keys";
import { useApp } from "../../store/context";
import { RadioItems } from "../../ui/radios";

/** A setting with its label on the left and its control on the right. */
export function Setting(props: { id?: string; label: string; about?: string; error?: string; children: (ids: { label: string; about: string }) => JSX.Element }): JSX.Element {
  const id = createUniqueId();
  const ids = { label: `${id}-label`, about: `${id}-about` };
  return (
    <div data-slot="setting" id={props.id}>
      <div data-slot="words">
        <span data-slot="label" id={ids.label}>
          {props.label}
        </span>
        <p data-slot="about" id={ids.about}>
          {props.about}
        </p>
        <Show when={props.error}>
          <p data-slot="error" role="alert">
            {props.error}
          </p>
        </Show>
      </div>
      {props.children(ids)}
    </div>
  );
}

/** Changes settings and stores the error if that fails. */
export function createChange() {
  const { actions } = useApp();
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  return {
    error,
    busy,
    async change(patch: SettingsPatch): Promise<boolean> {
      setError("");
      setBusy(true);
      try {
        await actions.changeSettings(patch);
        return true;
      } catch (failure) {
        setError(messageOf(failure));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

/** A choice of a few options, all visible. */
export function Segmented(props: {
  labelledBy: string;
  choices: readonly { id: string; name: string }[];
  value: string;
  onChange: (id: string) => void;
}): JSX.Element {
  return (
    <div data-component="segmented" role="radiogroup" aria-labelledby={props.labelledBy}>
      <RadioItems choices={props.choices} value={props.value} onChange={props.onChange} />
    </div>
  );
}

/** A number, applied on blur or Enter. */
export function NumberField(props: {
  ids: { label: string; about: string };
  value: number;
  min: number;
  max: number;
  step?: number;
  unit: string;
  onChange: (value: number) => void;
  onInvalid: (why: string) => void;
}): JSX.Element {
  const take = (field: HTMLInputElement) => {
    const value = field.valueAsNumber;
    const whole = Number.isInteger(props.step ?? 1);
    if (!Number.isFinite(value) || (whole && !Number.isInteger(value)) || value < props.min || value > props.max) {
      const words = text().settings;
      props.onInvalid((whole ? words.range : words.rangeOf)(number(props.min), number(props.max)));
      return;
    }
    props.onInvalid("");
    if (value !== props.value) props.onChange(value);
  };
  return (
    <span data-slot="number">
      <input
        type="number"
        data-component="text-field"
        aria-labelledby={props.ids.label}
        aria-describedby={props.ids.about}
        min={props.min}
        max={props.max}
        step={props.step ?? 1}
        value={props.value}
        onChange={(event) => take(event.currentTarget)}
        onKeyDown={(event) => event.key === "Enter" && !isComposing(event) && take(event.currentTarget)}
      />
      <span data-slot="unit">{props.unit}</span>
    </span>
  );
}
