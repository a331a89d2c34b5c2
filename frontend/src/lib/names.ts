// The CLI's words in the person's language.

/** A model's name without its family's boilerplate; unknown ones stay as they are. */
export function modelName(model: string): string {
  if (model === "") return "Default model";
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

/** The permission modes that a person chooses from, in the order of Shift+Tab. */
export const modes: readonly Mode[] = [
  { id: "default", name: "Ask first", about: "Asks before edits and commands" },
  { id: "acceptEdits", name: "Accept edits", about: "Edits files in the folder without asking" },
  { id: "plan", name: "Plan", about: "Reads and plans, changes nothing" },
];

const otherModes: Record<string, string> = {
  auto: "Auto",
  dontAsk: "Don’t ask",
  bypassPermissions: "No permission checks",
};

export function modeName(mode: string): string {
  if (mode === "") return "Ask first";
  return modes.find((m) => m.id === mode)?.name ?? otherModes[mode] ?? mode;
}

export function nextMode(mode: string): string {
  const at = modes.findIndex((m) => m.id === (mode || "default"));
  return (modes[(at + 1) % modes.length] ?? modes[0])?.id ?? "default";
}

const states: Record<string, string> = {
  idle: "Ready",
  starting: "Starting",
  running: "Working",
  waiting: "Waiting for you",
  interrupting: "Stopping",
  compacting: "Compacting",
  closed: "Not running",
  failed: "Failed",
};

export function stateName(state: string): string {
  return states[state] ?? state;
}
