import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { DiffRow } from "../lib/diff";
import { plural } from "../lib/time";
import { ExactText } from "./exact-text";
import "./diff.css";

// More rows than this are drawn on demand.
const MOST_ROWS = 600;
const signs: Record<DiffRow["kind"], string> = { add: "+", remove: "−", same: "", gap: "" };
const names: Record<DiffRow["kind"], string> = { add: "added", remove: "removed", same: "", gap: "" };

/** A change of a file, line by line. With whole true it is never cut. */
export function Diff(props: { rows: DiffRow[]; whole?: boolean }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const shown = createMemo(() => (all() || props.whole ? props.rows : props.rows.slice(0, MOST_ROWS)));
  const numbered = createMemo(() => props.rows.some((row) => row.oldLine !== null || row.newLine !== null));
  return (
    <div data-component="diff" data-numbered={numbered() || undefined}>
      <div data-slot="rows">
        <For each={shown()}>
          {(row) => (
            <div data-slot="row" data-kind={row.kind}>
              <Show when={numbered()}>
                <span data-slot="number" aria-hidden="true">
                  {row.oldLine ?? ""}
                </span>
                <span data-slot="number" aria-hidden="true">
                  {row.newLine ?? ""}
                </span>
              </Show>
              <span data-slot="sign" aria-hidden="true">
                {signs[row.kind]}
              </span>
              <Show when={names[row.kind]}>
                <span class="visually-hidden">{names[row.kind]}: </span>
              </Show>
              <code>
                <ExactText text={row.text} />
              </code>
            </div>
          )}
        </For>
      </div>
      <Show when={shown().length < props.rows.length}>
        <button type="button" data-slot="more" onClick={() => setAll(true)}>
          Show {plural(props.rows.length - shown().length, "more line")}
        </button>
      </Show>
    </div>
  );
}
