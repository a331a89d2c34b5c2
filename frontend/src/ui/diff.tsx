import { createEffect, createMemo, createRenderEffect, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import { text } from "../i18n";
import { type DiffPair, type DiffRow, type Mark, sideBySide, wordMarks } from "../lib/diff";
import { languageOf } from "../lib/languages";
import { kinds, RunReader } from "./markdown/colour";
import { highlight } from "./markdown/highlight";
import { hasHidden } from "../lib/visible";
import { diffLayout } from "./diff-layout";
import { ExactText } from "./exact-text";
import "./markdown/CodeText.css";
import "./diff.css";

// Further rows are rendered on demand.
const MOST_ROWS = 600;
const signs: Record<DiffRow["kind"], string> = { add: "+", remove: "−", same: "", gap: "" };

type LineRuns = [length: number, kind: number][];

/** A file diff with syntax highlighting. If whole is true, it is never truncated, and has one column. */
export function Diff(props: { rows: DiffRow[]; whole?: boolean; path?: string }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const [colours, setColours] = createSignal(new Map<DiffRow, LineRuns>());
  const shown = createMemo(() => (all() || props.whole ? props.rows : props.rows.slice(0, MOST_ROWS)));
  const marks = createMemo(() => wordMarks(shown()));
  const numbered = createMemo(() => props.rows.some((row) => row.oldLine !== null || row.newLine !== null));
  const split = () => !props.whole && diffLayout() === "split";

  createEffect(() => {
    const language = languageOf(props.path ?? "");
    const rows = shown();
    const stop = new AbortController();
    onCleanup(() => stop.abort());
    if (language !== "") void colour(rows, language, stop.signal).then((found) => !stop.signal.aborted && setColours(found));
  });

  const Code = (own: { row: DiffRow }): JSX.Element => (
    <Show when={!hasHidden(own.row.text)} fallback={<code><ExactText text={own.row.text} /></code>}>
      <Line text={own.row.text} runs={colours().get(own.row)} marks={marks().get(own.row)} />
    </Show>
  );
  const Number = (own: { n: number | null | undefined }): JSX.Element => (
    <Show when={numbered()}>
      <span data-slot="number" aria-hidden="true">
        {own.n ?? ""}
      </span>
    </Show>
  );
  const Sign = (own: { row: DiffRow }): JSX.Element => (
    <>
      <span data-slot="sign" aria-hidden="true">
        {signs[own.row.kind]}
      </span>
      <Show when={own.row.kind === "add" || own.row.kind === "remove"}>
        <span class="visually-hidden">{own.row.kind === "add" ? text().tools.added : text().tools.removed}: </span>
      </Show>
    </>
  );
  const Half = (own: { row: DiffRow | null; side: "oldLine" | "newLine" }): JSX.Element => (
    <div data-slot="half" data-kind={own.row?.kind ?? "none"}>
      <Show when={own.row} keyed>
        {(row) => (
          <>
            <Number n={row[own.side]} />
            <Sign row={row} />
            <Code row={row} />
          </>
        )}
      </Show>
    </div>
  );

  return (
    <div data-component="diff" data-numbered={numbered() || undefined} data-layout={split() ? "split" : "unified"}>
      <div data-slot="rows">
        <Show
          when={split()}
          fallback={
            <For each={shown()}>
              {(row) => (
                <div data-slot="row" data-kind={row.kind}>
                  <Number n={row.oldLine} />
                  <Number n={row.newLine} />
                  <Sign row={row} />
                  <Code row={row} />
                </div>
              )}
            </For>
          }
        >
          <For each={sideBySide(shown())}>
            {(pair: DiffPair) => (
              <div data-slot="pair">
                <Half row={pair.left} side="oldLine" />
                <Half row={pair.right} side="newLine" />
              </div>
            )}
          </For>
        </Show>
      </div>
      <Show when={shown().length < props.rows.length}>
        <button type="button" data-slot="more" onClick={() => setAll(true)}>
          {text().tools.moreLines(props.rows.length - shown().length)}
        </button>
      </Show>
    </div>
  );
}

function Line(props: { text: string; runs: LineRuns | undefined; marks: Mark[] | undefined }): JSX.Element {
  const code = (<code />) as HTMLElement;
  createRenderEffect(() => {
    const parts = document.createDocumentFragment();
    const marked = props.marks ?? [];
    let at = 0;
    for (const [length, kind] of props.runs ?? [[props.text.length, 0]]) {
      const end = Math.min(at + length, props.text.length);
      while (at < end) {
        const mark = marked.find(([, to]) => to > at);
        const inside = mark !== undefined && mark[0] <= at;
        const next = Math.min(end, mark ? (inside ? mark[1] : mark[0]) : end);
        const words = props.text.slice(at, next);
        at = next;
        if (kind === 0 && !inside) {
          parts.append(words);
          continue;
        }
        const span = document.createElement("span");
        if (kind !== 0) span.dataset["code"] = kinds[kind] ?? "";
        if (inside) span.dataset["mark"] = "";
        span.textContent = words;
        parts.append(span);
      }
    }
    if (at < props.text.length) parts.append(props.text.slice(at));
    code.replaceChildren(parts);
  });
  return code;
}

// Each side is highlighted as one text, so that multi-line constructs are colored correctly.
async function colour(rows: readonly DiffRow[], language: string, signal: AbortSignal): Promise<Map<DiffRow, LineRuns>> {
  const found = new Map<DiffRow, LineRuns>();
  for (const side of ["remove", "add"] as const) {
    const lines = rows.filter((row) => row.kind === side || row.kind === "same");
    const runs = await highlight(lines.map((row) => row.text).join("\n"), language, signal);
    if (!runs) continue;
    const reader = new RunReader(runs);
    for (const row of lines) {
      found.set(row, reader.take(row.text.length));
      reader.take(1);
    }
  }
  return found;
}
