import { createUniqueId, For, type JSX, Show } from "solid-js";
import { translated } from "../i18n";
export interface Fault {
  message: string;
}

export interface FieldIds {
  id: string;
  describedBy: string | undefined;
  invalid: true | undefined;
}

/** A control with its label, hint and errors. */
export function Field(props: { label: string; hint?: string; wide?: boolean; faults: readonly Fault[]; children: (ids: () => FieldIds) => JSX.Element }): JSX.Element {
  const id = createUniqueId();
  const ids = (): FieldIds => ({
    id,
    describedBy: [props.hint ? `${id}-hint` : "", props.faults.length > 0 ? `${id}-fault` : ""].filter(Boolean).join(" ") || undefined,
    invalid: props.faults.length > 0 || undefined,
  });
  return (
    <div data-slot="field" data-wide={props.wide || undefined}>
      <label for={id}>{props.label}</label>
      {props.children(ids)}
      <Show when={props.hint}>
        <p data-slot="aside" id={`${id}-hint`}>
          {props.hint}
        </p>
      </Show>
      <Faults id={`${id}-fault`} faults={props.faults} />
    </div>
  );
}

/** The errors of a field. Always rendered, so that new errors are announced. */
export function Faults(props: { id?: string; faults: readonly Fault[] }): JSX.Element {
  return (
    <div data-slot="faults" id={props.id} role="alert" data-invalid={props.faults.length > 0 || undefined}>
      <For each={props.faults}>{(fault) => <p data-slot="invalid">{translated(fault.message)}</p>}</For>
    </div>
  );
}
