// Whether there is room for the side panel, and the key that toggles it.

import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { provideAction } from "../../desk/shortcuts";

/** The minimum width in pixels for the panel beside a session; below, it covers the session. */
const leastBeside = 820;

export interface InspectorLayout {
  /** Whether the panel is visible. */
  shown: Accessor<boolean>;
  over: Accessor<boolean>;
  toggle: () => void;
  close: () => void;
  /** Receives the toggle button: closing the panel moves the focus there. */
  button: (element: HTMLElement) => void;
}

/** Decides for one visible session. */
export function createInspectorLayout(sessionId: () => string, root: () => HTMLElement): InspectorLayout {
  const { state, layout } = useApp();
  let button: HTMLElement | undefined;
  const [over, setOver] = createSignal(false);
  const mine = () => state.current === sessionId();

  onMount(() => {
    const measure = () => setOver(root().clientWidth > 0 && root().clientWidth < leastBeside);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(root());
    onCleanup(() => observer.disconnect());
  });

  const toggle = () => layout.toggleInspector(over());
  provideAction({
    id: "inspector",
    get name() {
      return text().shell.actions.inspector;
    },
    enabled: mine,
    run: toggle,
  });

  return {
    // When it covers the conversation, it is shown in the focused pane only.
    shown: () => (over() ? layout.inspectorOver() && mine() : layout.state.inspector.open),
    over,
    toggle,
    close() {
      if (over() ? layout.inspectorOver() : layout.state.inspector.open) toggle();
      button?.focus();
    },
    button: (element) => (button = element),
  };
}
