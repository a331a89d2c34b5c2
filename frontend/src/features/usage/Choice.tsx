import type { JSX } from "solid-js";
import { RadioItems } from "../../ui/radios";

/** A choice of a few options, all visible, as radio buttons. */
export function Choice<T extends string>(props: {
  label: string;
  /** Whether the label is visible. */
  visible?: boolean;
  value: T;
  choices: readonly { id: T; name: string }[];
  onChange: (value: T) => void;
}): JSX.Element {
  return (
    <fieldset data-slot="choice">
      <legend data-visible={props.visible || undefined}>{props.label}</legend>
      <div data-slot="options">
        <RadioItems choices={props.choices} value={props.value} onChange={props.onChange} />
      </div>
    </fieldset>
  );
}
