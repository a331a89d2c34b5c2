import { createContext, type JSX, useContext } from "solid-js";
import { useApp } from "../../store/context";
import { createTabDrag, type TabDrag } from "./drag";

const TabDragContext = createContext<TabDrag>();

/** One tab drag at a time, across all tab bars. */
export function TabDragProvider(props: { children: JSX.Element }): JSX.Element {
  const drag = createTabDrag(useApp().layout);
  return <TabDragContext.Provider value={drag}>{props.children}</TabDragContext.Provider>;
}

export function useTabDrag(): TabDrag {
  const drag = useContext(TabDragContext);
  if (!drag) throw new Error("useTabDrag must be used inside TabDragProvider");
  return drag;
}
