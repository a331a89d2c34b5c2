import Gauge from "lucide-solid/icons/gauge";
import { text } from "../../i18n";
import { ContextTab } from "../meter/ContextTab";
import type { InspectorTab } from "./tab";

export const contextTab: InspectorTab = {
  id: "context",
  label: () => text().usage.context.tab,
  icon: Gauge,
  component: ContextTab,
};
