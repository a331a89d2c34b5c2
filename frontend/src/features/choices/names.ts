// The choices that Parley itself defines, with their labels.

import { text } from "../../i18n";
import { modes } from "../../lib/names";
import type { PickerChoice } from "./Picker";

/** All permission modes: those of Shift+Tab, then the ones that need a deliberate choice. */
export function allModes(): PickerChoice[] {
  const words = text().choices.modes;
  return [
    ...modes(),
    { id: "auto", ...words.auto },
    { id: "dontAsk", ...words.dontAsk },
    { id: "bypassPermissions", ...words.bypassPermissions, danger: true },
  ];
}

const guardIds = ["off", "static", "reviewed"] as const;

/** The auto-approve settings. */
export const guards = (): PickerChoice[] => guardIds.map((id) => ({ id, name: text().choices.guard[id].name, about: text().choices.guard[id].about }));

/** Whether auto-approve has an effect in a mode: other modes ask nothing, or nothing it may answer. */
export const guardWorksIn = (mode: string): boolean => ["", "default", "acceptEdits"].includes(mode);

/** A short label for the mode and auto-approve together. */
export function modeText(name: string, mode: string, guard: string): string {
  if (!guardWorksIn(mode) || (guard !== "static" && guard !== "reviewed")) return name;
  return mode === "" || mode === "default" ? text().choices.guard.guarded : text().choices.guard.beside(name);
}

const engineIds = ["cli", "sdk"] as const;

export const engines = (): PickerChoice[] => engineIds.map((id) => ({ id, ...text().choices.engines[id] }));

export function engineName(engine: string): string {
  const names: Record<string, { name: string }> = text().choices.engines;
  return names[engine]?.name ?? engine;
}

/** The label of a profile's kind. */
export function kindName(kind: string): string {
  const names: Record<string, string> = text().choices.kinds;
  return names[kind] ?? kind;
}
