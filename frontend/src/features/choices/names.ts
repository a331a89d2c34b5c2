// The choices that Parley itself knows, in a user's words.

import { text } from "../../i18n";
import { modes } from "../../lib/names";
import type { PickerChoice } from "./Picker";

/** All permission modes: those of Shift+Tab, then the ones that are chosen deliberately. */
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

/** What may answer in a user's place. */
export const guards = (): PickerChoice[] => guardIds.map((id) => ({ id, name: text().choices.guard[id].name, about: text().choices.guard[id].about }));

/** Whether the guard has anything to do in a mode: the others ask nothing, or nothing that it may answer. */
export const guardWorksIn = (mode: string): boolean => ["", "default", "acceptEdits"].includes(mode);

/** The mode and the guard together, in a few words. */
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

/** A profile's kind. */
export function kindName(kind: string): string {
  const names: Record<string, string> = text().choices.kinds;
  return names[kind] ?? kind;
}
