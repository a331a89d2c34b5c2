import type { Component, JSX } from "solid-js";
import type { App } from "../../store/context";

/** A tab of the side panel. */
export interface InspectorTab {
  /** Stored in the layout, so it must not change. */
  id: string;
  label: () => string;
  icon: Component;
  component: (props: { sessionId: string }) => JSX.Element;
  /** The number of items; 0 shows no badge. */
  badge?: (app: App, sessionId: string) => number;
}
