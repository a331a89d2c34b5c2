import { For, type JSX, Show } from "solid-js";
import { text } from "../../i18n";
import type { SearchHit } from "../../host/border.gen";
import { ago } from "../../lib/ago";
import { pieces } from "./snippet";

export const hitId = (index: number) => `search-hit-${index}`;

function nameIn(names: Record<string, string>, kind: string): string {
  return names[kind] ?? kind;
}

/** One search result. */
export function HitRow(props: {
  hit: SearchHit;
  index: number;
  now: number;
  active: boolean;
  onHover: () => void;
  onGo: () => void;
}): JSX.Element {
  const words = () => text().search;
  const kind = () => nameIn(words().hits, props.hit.kind);
  return (
    <div
      id={hitId(props.index)}
      role="option"
      data-slot="hit"
      data-error={props.hit.isError || undefined}
      aria-selected={props.active}
      onPointerMove={() => props.onHover()}
      onClick={() => props.onGo()}
    >
      <span data-slot="kind">
        {props.hit.tool || kind()}
        <Show when={props.hit.tool}>
          <span data-slot="direction"> {nameIn(words().directions, props.hit.kind)}</span>
        </Show>
      </span>
      <span data-slot="snippet">
        <For each={pieces(props.hit.snippet, props.hit.marks)}>
          {(piece) => (
            <Show when={piece.marked} fallback={piece.text}>
              <mark>{piece.text}</mark>
            </Show>
          )}
        </For>
      </span>
      <span data-slot="time">
        {props.hit.isError ? `${words().hitFailed} · ` : ""}
        {props.hit.at > 0 ? ago(props.hit.at, props.now) : ""}
      </span>
    </div>
  );
}
