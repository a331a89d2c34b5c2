import { getOwner, onCleanup, onMount, runWithOwner } from "solid-js";
import type { App } from "../../store/context";
import type { Action } from "../../desk/shortcuts";

/** The page has rendered by then. */
const after = 300;

/** Creates the window's native menus, if it has them, once the page has rendered. */
export function createMenus(app: App, actions: () => readonly Action[]): void {
  const { menus } = app.host;
  if (!menus) return;
  const owner = getOwner();
  let gone = false;
  onCleanup(() => (gone = true));
  const begin = async () => {
    const { followMenus } = await import("./menus");
    if (!gone) runWithOwner(owner, () => followMenus(app, menus, actions));
  };
  onMount(() => requestAnimationFrame(() => setTimeout(() => void begin(), after)));
}
