import { createSignal, type JSX } from "solid-js";
import { text } from "../../i18n";
import { readingKey, readingOffset } from "../../lib/direction";
import { useApp } from "../../store/context";
import { leastRatio } from "../../store/arrangement";

const step = 0.02;

/** The divider between two panes: dragged, or moved with the arrow keys; a double click makes both equal. */
export function Divider(props: { container: () => HTMLElement }): JSX.Element {
  const { layout } = useApp();
  const [dragging, setDragging] = createSignal(false);

  function onPointerMove(event: PointerEvent): void {
    if (!dragging()) return;
    const box = props.container().getBoundingClientRect();
    if (box.width > 0) layout.setRatio(readingOffset(event.clientX, box) / box.width);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const to: Record<string, number> = {
      ArrowLeft: layout.state.ratio - step,
      ArrowRight: layout.state.ratio + step,
      Home: leastRatio,
      End: 1 - leastRatio,
      Enter: 0.5,
    };
    const ratio = to[readingKey(event)];
    if (ratio === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    layout.setRatio(ratio);
  }

  return (
    <div
      data-slot="divider"
      role="separator"
      tabindex="0"
      aria-label={text().panes.dividerWidth}
      aria-orientation="vertical"
      aria-valuenow={Math.round(layout.state.ratio * 100)}
      aria-valuemin={leastRatio * 100}
      aria-valuemax={100 - leastRatio * 100}
      data-dragging={dragging() || undefined}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragging(true);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => setDragging(false)}
      onPointerCancel={() => setDragging(false)}
      onDblClick={() => layout.setRatio(0.5)}
      onKeyDown={onKeyDown}
    />
  );
}
