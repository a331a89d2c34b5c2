// The menus drawn by the window's toolkit: their content, and the events from them. The program validates everything
// (app/desktop/menu.go).

export interface MenuEntry {
  /** "" for a separator. */
  id: string;
  /** With an underscore before its mnemonic. */
  label?: string;
  enabled?: boolean;
  /** The page's notation, and the one for display. */
  keys?: string;
  shown?: string;
  kind?: "check" | "radio";
  checked?: boolean;
  /** Makes it a submenu. */
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

/** Event ids of the bar itself, besides those of entries. */
export const barOpened = ":opened";
export const barClosed = ":closed";

export interface Menus {
  say(message: MenuMessage): void;
  /** Calls back with the id of each chosen entry. Returns the unsubscriber. */
  onChosen(listener: (id: string) => void): () => void;
}
