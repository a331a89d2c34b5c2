import { createSignal, type JSX } from "solid-js";
import { readingKey } from "../lib/direction";
import "./edge.css";

const step = 16;

/** The edge of a side panel, which resizes it. */
export function Edge(props: {
  label: string;
  /** The panel's side, in reading direction. */
  side: "start" | "end";
  width: number;
  range: { least: number; normal: number; most: number };
  /** The panel's width when its edge is at the pointer. */
  widthAt: (clientX: number, panel: HTMLElement) => number;
  onChange: (width: number) => void;
}): JSX.Element {
  const [active, setActive] = createSignal(false);

  function onPointerMove(event: PointerEvent & { currentTarget: HTMLElement }): void {
    const panel = event.currentTarget.parentElement;
    if (active() && panel) props.onChange(props.widthAt(event.clientX, panel));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const wider = props.side === "start" ? "ArrowRight" : "ArrowLeft";
    const narrower = props.side === "start" ? "ArrowLeft" : "ArrowRight";
    const key = readingKey(event);
    const by = key === wider ? step : key === narrower ? -step : 0;
    if (by === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    props.onChange(props.width + by);
  }

  return (
    <div
      data-slot="edge"
      data-active={active() || undefined}
      role="separator"
      aria-orientation="vertical"
      aria-label={props.label}
      aria-valuemin={props.range.least}
      aria-valuemax={props.range.most}
      aria-valuenow={props.width}
      tabindex="0"
      onKeyDown={onKeyDown}
      onDblClick={() => props.onChange(props.range.normal)}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        setActive(true);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => setActive(false)}
      onPointerCancel={() => setActive(false)}
    />
  );
}
