import Gauge from "lucide-solid/icons/gauge";
import { text } from "../../i18n";
import type { InspectorTab } from "../inspector/tabs";
import { ContextTab } from "./ContextTab";

export const contextTab: InspectorTab = {
  id: "context",
  label: () => text().usage.context.tab,
  icon: Gauge,
  component: ContextTab,
};
