// Whether there is room for the panel beside a conversation, and the key that
// shows it.

import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { provideAction } from "../../desk/shortcuts";

/** A session needs so many pixels to have the panel beside it; below, the panel lies over it. */
const leastBeside = 820;

export interface InspectorRoom {
  /** Whether the panel is on the page. */
  shown: Accessor<boolean>;
  over: Accessor<boolean>;
  toggle: () => void;
  close: () => void;
  /** Takes the button that shows it: the focus goes there when it is closed. */
  button: (element: HTMLElement) => void;
}

/** Decides for one session that is on the page. */
export function createInspectorRoom(sessionId: () => string, root: () => HTMLElement): InspectorRoom {
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
    // Over a conversation it is there for the one that the user is at.
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
