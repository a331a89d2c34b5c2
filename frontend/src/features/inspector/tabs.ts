// The tabs of the side panel. To add one, add it to this list.

import { contextTab } from "./context-tab";
import { filesTab } from "./files/tab";
import type { InspectorTab } from "./tab";
import { tasksTab } from "./tasks/tab";

export const inspectorTabs: readonly InspectorTab[] = [tasksTab, filesTab, contextTab];
