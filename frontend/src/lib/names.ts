// The CLI's identifiers in the user's language.

import { text } from "../i18n";

/** A model's short name; unknown ones stay as they are. */
export function modelName(model: string): string {
  if (model === "") return text().choices.defaultModel;
  const match = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?(\[1m\])?$/.exec(model);
  if (!match?.[1]) return model;
  const name = match[1].charAt(0).toUpperCase() + match[1].slice(1);
  return `${name} ${match[2]}${match[3] ? `.${match[3]}` : ""}${match[4] ? " 1M" : ""}`;
}

export interface Mode {
  id: string;
  name: string;
  about: string;
}

const cycle = ["default", "acceptEdits", "plan"] as const;

/** The permission modes a user chooses from, in Shift+Tab order. */
export function modes(): Mode[] {
  const names = text().choices.modes;
  return cycle.map((id) => ({ id, ...names[id] }));
}

export function modeName(id: string): string {
  const names: Record<string, { name: string } | undefined> = text().choices.modes;
  return names[id || "default"]?.name ?? id;
}

export function nextMode(mode: string): string {
  const at = cycle.findIndex((id) => id === (mode || "default"));
  return cycle[(at + 1) % cycle.length] ?? "default";
}

export function stateName(state: string): string {
  const names: Record<string, string> = text().names.states;
  return names[state] ?? state;
}
