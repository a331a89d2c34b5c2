import type { Component, JSX } from "solid-js";
import type { App } from "../../store/context";

/** A tab of the panel beside the conversation. */
export interface InspectorTab {
  /** What the layout keeps: it must stay the same. */
  id: string;
  label: () => string;
  icon: Component;
  component: (props: { sessionId: string }) => JSX.Element;
  /** How many things there are to look at; 0 shows nothing. */
  badge?: (app: App, sessionId: string) => number;
}
