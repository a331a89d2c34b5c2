import { createUniqueId, For, type JSX, Show } from "solid-js";

interface RadioChoice<T> {
  id: T;
  name: string;
  about?: string;
}

interface RadioProps<T> {
  choices: readonly RadioChoice<T>[];
  value: T;
  onChange: (id: T) => void;
  /** Renders a choice in place of its name. */
  children?: (choice: RadioChoice<T>) => JSX.Element;
}

/** A choice of a few options, all visible, with its own heading. */
export function Radios<T extends string | number>(props: RadioProps<T> & { legend: string; inline?: boolean }): JSX.Element {
  return (
    <fieldset data-inline={props.inline ? "" : undefined}>
      <legend>{props.legend}</legend>
      <RadioItems choices={props.choices} value={props.value} onChange={props.onChange}>
        {props.children}
      </RadioItems>
    </fieldset>
  );
}

/** The same inside an element that is already a named group. */
export function RadioItems<T extends string | number>(props: RadioProps<T>): JSX.Element {
  const group = createUniqueId();
  return (
    <For each={props.choices}>
      {(choice) => (
        <label data-checked={choice.id === props.value || undefined}>
          <input type="radio" name={group} value={choice.id} checked={choice.id === props.value} onChange={() => props.onChange(choice.id)} />
          <Show
            when={props.children}
            fallback={
              <span>
                {choice.name}
                <Show when={choice.about}>{(about) => <small>{about()}</small>}</Show>
              </span>
            }
          >
            {(draw) => draw()(choice)}
          </Show>
        </label>
      )}
    </For>
  );
}
