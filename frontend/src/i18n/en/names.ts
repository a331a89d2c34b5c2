/** Names for the CLI's own identifiers. */
export const names = {
  /** Session states. */
  states: {
    idle: "Ready",
    starting: "Starting",
    running: "Working",
    waiting: "Waiting for you",
    interrupting: "Stopping",
    compacting: "Compacting",
    closed: "Not running",
    failed: "Failed",
    retrying: "Waiting to retry",
  },
  /** Keys whose names differ between languages. A Mac's symbols are used as they are. */
  keys: {
    Mod: "Ctrl", Ctrl: "Ctrl", Alt: "Alt", Shift: "Shift", Enter: "Enter", Esc: "Esc", Tab: "Tab", Space: "Space", Backspace: "Backspace", Delete: "Delete", Del: "Del",
    Home: "Home", End: "End", PageUp: "PageUp", PageDown: "PageDown", Up: "Up", Down: "Down", Left: "Left", Right: "Right", Plus: "Plus", Minus: "Minus",
  },
};
