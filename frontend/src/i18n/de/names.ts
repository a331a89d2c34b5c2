export const names = {
  states: {
    idle: "Bereit",
    starting: "Startet",
    running: "Arbeitet",
    waiting: "Wartet auf Sie",
    interrupting: "Wird angehalten",
    compacting: "Fasst zusammen",
    closed: "Läuft nicht",
    failed: "Fehlgeschlagen",
    retrying: "Wartet auf neuen Versuch",
  },
  keys: {
    Mod: "Strg", Ctrl: "Strg", Alt: "Alt", Shift: "Umschalt", Enter: "Enter", Esc: "Esc", Tab: "Tab", Space: "Leertaste", Backspace: "Rücktaste", Delete: "Entf", Del: "Entf",
    Home: "Pos1", End: "Ende", PageUp: "Bild auf", PageDown: "Bild ab", Up: "Auf", Down: "Ab", Left: "Links", Right: "Rechts", Plus: "Plus", Minus: "Minus",
  },
};
