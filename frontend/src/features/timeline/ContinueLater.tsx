import { createSignal, For, type JSX } from "solid-js";
import { text } from "../../i18n";
import { formatClock, formatCost } from "../../lib/time";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { afterReset, type Fuse } from "../composer/recovery";

const often = [0, 1, 3, 10];
const turns = [25, 50, 100, 250];
const dollars = [0, 1, 5, 20, 50];

/** Asks how far Parley may continue automatically when a usage limit resets. */
export function ContinueLater(props: { resetsAt: number; onChoose: (fuse: Fuse) => void; onCancel: () => void }): JSX.Element {
  const [again, setAgain] = createSignal(0);
  const [most, setMost] = createSignal(100);
  const [usd, setUsd] = createSignal(0);
  const words = () => text().failures;
  const at = () => words().continueAt(formatClock(afterReset(props.resetsAt)));
  return (
    <form
      data-slot="later"
      aria-label={at()}
      onSubmit={(event) => {
        event.preventDefault();
        props.onChoose({ again: again(), turns: most(), usd: usd() });
      }}
    >
      <Field label={words().again.label} faults={[]}>
        {(ids) => (
          <select ref={(box) => queueMicrotask(() => box.focus())} id={ids().id} data-component="text-field" onChange={(event) => setAgain(Number(event.currentTarget.value))}>
            <For each={often}>{(n) => <option value={n} selected={n === again()}>{words().again.times(n)}</option>}</For>
          </select>
        )}
      </Field>
      <Field label={words().again.budget} faults={[]}>
        {(ids) => (
          <select id={ids().id} data-component="text-field" onChange={(event) => setMost(Number(event.currentTarget.value))}>
            <For each={turns}>{(n) => <option value={n} selected={n === most()}>{words().again.turns(n)}</option>}</For>
          </select>
        )}
      </Field>
      <Field label={words().again.cost} faults={[]}>
        {(ids) => (
          <select id={ids().id} data-component="text-field" onChange={(event) => setUsd(Number(event.currentTarget.value))}>
            <For each={dollars}>{(n) => <option value={n} selected={n === usd()}>{n === 0 ? words().again.anyCost : formatCost(n)}</option>}</For>
          </select>
        )}
      </Field>
      <div data-slot="steps">
        <Button type="submit" size="small" variant="primary">{at()}</Button>
        <Button size="small" onClick={() => props.onCancel()}>{text().common.cancel}</Button>
      </div>
    </form>
  );
}
