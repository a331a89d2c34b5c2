import Columns2 from "lucide-solid/icons/columns-2";
import Rows2 from "lucide-solid/icons/rows-2";
import { createSignal, type JSX, Show } from "solid-js";
import { text } from "../i18n";

type DiffLayout = "unified" | "split";
const key = "parley.diff";

const [layout, setLayout] = createSignal<DiffLayout>(saved());

/** The layout of diffs on the whole page; it is remembered. */
export const diffLayout = layout;

function saved(): DiffLayout {
  try {
    return localStorage.getItem(key) === "split" ? "split" : "unified";
  } catch {
    return "unified";
  }
}

function choose(next: DiffLayout): void {
  setLayout(next);
  try {
    localStorage.setItem(key, next);
  } catch {
    // Without storage, it lasts until the page is closed.
  }
}

/** Toggles between one column and two. */
export function DiffLayoutButton(): JSX.Element {
  const other = (): DiffLayout => (layout() === "split" ? "unified" : "split");
  const words = () => (other() === "split" ? text().tools.sideBySide : text().tools.unified);
  return (
    <button type="button" data-component="copy-button" aria-label={words()} title={words()} onClick={() => choose(other())}>
      <Show when={other() === "split"} fallback={<Rows2 size={14} />}>
        <Columns2 size={14} />
      </Show>
    </button>
  );
}
