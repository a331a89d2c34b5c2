// What the panel beside the conversation can show. A part of the page that wants
// a place there adds a line to the list.

import { contextTab } from "./context-tab";
import { filesTab } from "./files/tab";
import type { InspectorTab } from "./tab";
import { tasksTab } from "./tasks/tab";

export const inspectorTabs: readonly InspectorTab[] = [tasksTab, filesTab, contextTab];
