export const switcher = {
  title: "Go to",
  sessions: "Sessions",
  workspaces: "Workspaces",
  commands: "Commands",
  label: "Go to a session, a workspace or a command",
  placeholder: "Go to…",
  options: "Where to go",
  none: "Nothing is called that.",
  /** The keys stand before it. */
  searchInstead: "searches in what was said.",
};
