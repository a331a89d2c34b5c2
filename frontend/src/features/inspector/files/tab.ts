import FileDiff from "lucide-solid/icons/file-diff";
import { text } from "../../../i18n";
import type { InspectorTab } from "../tab";
import { Files } from "./Files";

export const filesTab: InspectorTab = {
  id: "files",
  label: () => text().inspector.files.tab,
  icon: FileDiff,
  component: Files,
};
