// What the panel beside the conversation can show. A part of the page that wants
// a place there adds a line to the list.

import type { Component, JSX } from "solid-js";
import type { App } from "../../store/context";
import { contextTab } from "../meter/tab";
import { filesTab } from "./files/tab";
import { tasksTab } from "./tasks/tab";

export interface InspectorTab {
  /** What the layout keeps: it must stay the same. */
  id: string;
  label: () => string;
  icon: Component;
  component: (props: { sessionId: string }) => JSX.Element;
  /** How many things there are to look at; 0 shows nothing. */
  badge?: (app: App, sessionId: string) => number;
}

export const inspectorTabs: readonly InspectorTab[] = [tasksTab, filesTab, contextTab];
