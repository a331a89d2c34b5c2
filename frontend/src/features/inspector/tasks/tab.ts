import ListTree from "lucide-solid/icons/list-tree";
import { text } from "../../../i18n";
import type { InspectorTab } from "../tab";
import { Tasks } from "./Tasks";

export const tasksTab: InspectorTab = {
  id: "tasks",
  label: () => text().inspector.tasks.tab,
  icon: ListTree,
  component: Tasks,
  badge: ({ state }, sessionId) => state.sessions[sessionId]?.tasks.length ?? 0,
};
