import { createEffect, Index, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { keepFocus } from "../../lib/keep-focus";
import { topDialog } from "../../lib/keys";
import { useApp } from "../../store/context";
import type { Pane } from "../../store/pane";
import { Divider } from "./Divider";
import { TabDragProvider } from "./drag-context";
import { createPaneKeys } from "./keys";
import { Overlays } from "./Overlays";
import { PaneView } from "./PaneView";
import "./panes.css";

/** The minimum width in pixels for two panes; below, one of them is shown. */
const leastForTwo = 660;

/** The open sessions: one pane, or two side by side. */
export function Panes(props: {
  sidebarHidden: boolean;
  onShowSidebar: () => void;
  /** Renders the page of a pane without a session; bar reports whether it has a tab bar. */
  start: (bar: boolean) => JSX.Element;
}): JSX.Element {
  const { layout, host } = useApp();
  let root!: HTMLDivElement;
  const ours = new Set<string>();
  const panes = new Map<number, { pane: Pane; enter: () => void }>();
  createPaneKeys(host.kind, layout);
  const enterLater = keepFocus(() => panes.get(layout.state.focused)?.pane.box() ?? null);

  onMount(() => {
    const measure = () => layout.setNarrow(root.clientWidth > 0 && root.clientWidth < leastForTwo);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(root);
    onCleanup(() => observer.disconnect());
  });

  const split = () => layout.state.panes.length > 1 && !layout.narrow();
  const shown = (index: number) => !layout.narrow() || index === layout.state.focused;
  const first = (index: number) => index === 0 || layout.narrow();

  // Switching to a pane or tab focuses its input.
  createEffect(
    on(
      () => [layout.state.focused, layout.active()] as const,
      ([pane]) => queueMicrotask(() => {
        const enter = () => panes.get(pane)?.enter();
        // A dialog keeps the focus until it closes.
        if (topDialog()) enterLater(enter);
        else enter();
      }),
      { defer: true },
    ),
  );

  return (
    <div
      ref={root}
      data-component="panes"
      data-split={split() || undefined}
      style={{ "--first": `${layout.state.ratio * 100}%` }}
    >
      <TabDragProvider>
        <Index each={layout.state.panes}>
          {(_, index) => (
            <>
              <Show when={index > 0 && split()}>
                <Divider container={() => root} />
              </Show>
              <Show when={shown(index)}>
                <PaneView
                  index={index}
                  onReady={(pane, enter) => {
                    panes.set(index, { pane, enter });
                    onCleanup(() => panes.delete(index));
                  }}
                  ours={ours}
                  showSidebar={first(index) && props.sidebarHidden ? () => props.onShowSidebar() : undefined}
                  start={props.start}
                />
              </Show>
            </>
          )}
        </Index>
      </TabDragProvider>
      <Overlays />
    </div>
  );
}
