/** What the CLI calls by a word of its own. */
export const names = {
  /** Of a session. */
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
  /** On the keyboard, where they are not the same everywhere. The signs of a Mac stand for themselves. */
  keys: {
    Mod: "Ctrl", Ctrl: "Ctrl", Alt: "Alt", Shift: "Shift", Enter: "Enter", Esc: "Esc", Tab: "Tab", Space: "Space", Backspace: "Backspace", Delete: "Delete", Del: "Del",
    Home: "Home", End: "End", PageUp: "PageUp", PageDown: "PageDown", Up: "Up", Down: "Down", Left: "Left", Right: "Right", Plus: "Plus", Minus: "Minus",
  },
};
