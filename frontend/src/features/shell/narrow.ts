import { type Accessor, createSignal, onCleanup } from "solid-js";

/** Below this width in pixels at 100% zoom, the sidebar doesn't fit beside a conversation. */
const least = 560;

/** Whether the window is too narrow for two columns at a zoom, in percent. */
export function createNarrow(zoom: () => number): Accessor<boolean> {
  const [width, setWidth] = createSignal(window.innerWidth);
  const measure = () => setWidth(window.innerWidth);
  window.addEventListener("resize", measure);
  onCleanup(() => window.removeEventListener("resize", measure));
  return () => width() > 0 && (width() * 100) / zoom() < least;
}
