import { type Accessor, createSignal, onCleanup } from "solid-js";

/** Whether the page is dark, by the user's choice or the system's. */
export function createDarkness(): Accessor<boolean> {
  const root = document.documentElement;
  const system = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : undefined;
  const read = () => {
    const scheme = getComputedStyle(root).colorScheme;
    if (scheme === "dark" || scheme === "light") return scheme === "dark";
    return system?.matches ?? false;
  };
  const [dark, setDark] = createSignal(read());
  const again = () => setDark(read());
  const observer = new MutationObserver(again);
  observer.observe(root, { attributes: true });
  system?.addEventListener("change", again);
  onCleanup(() => {
    observer.disconnect();
    system?.removeEventListener("change", again);
  });
  return dark;
}
