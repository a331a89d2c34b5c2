// The menus that the window's toolkit draws: what the page says of them, and what it
// hears back. The program checks everything (app/desktop/menu.go).

export interface MenuEntry {
  /** "" for a line between entries. */
  id: string;
  /** With an underscore before its mnemonic. */
  label?: string;
  enabled?: boolean;
  /** As the page writes keys, and as a user reads them. */
  keys?: string;
  shown?: string;
  kind?: "check" | "radio";
  checked?: boolean;
  /** Makes it a menu. */
  entries?: MenuEntry[];
}

export interface MenuLook {
  back: string;
  raised: string;
  text: string;
  dim: string;
  faint: string;
  hover: string;
  line: string;
}

export type MenuMessage = { context: MenuEntry[] } | { bar: { menus: MenuEntry[]; shown: boolean } } | { look: MenuLook };

/** Beside the ids of entries, what is told of the bar itself. */
export const barOpened = ":opened";
export const barClosed = ":closed";

export interface Menus {
  say(message: MenuMessage): void;
  /** Tells the id of each entry that is chosen. Returns the unsubscriber. */
  onChosen(listener: (id: string) => void): () => void;
}
