import { getOwner, onCleanup, onMount, runWithOwner } from "solid-js";
import type { App } from "../../store/context";
import type { Action } from "../../desk/shortcuts";

/** The page has drawn itself by then. */
const after = 300;

/** Has the window's own menus made, where it has some, once the page stands. */
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
