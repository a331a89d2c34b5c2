import { For, type JSX } from "solid-js";
import { type App, AppProvider } from "../src/store/context";
import "./parts.css";

interface Entry {
  name: string;
  component: () => JSX.Element;
}

const modules = import.meta.glob<{ galleryEntries: Entry[] }>("../src/features/*/gallery.tsx", { eager: true });

/** A picture of more parts than this would be too tall. */
const most = 8;

/** Every part that a feature shows on its own, by the names of scenes: "parts-timeline", "parts-tools-2". */
export const parts: Record<string, Entry[]> = Object.fromEntries(
  Object.entries(modules).flatMap(([path, { galleryEntries }]) => {
    const feature = path.split("/").at(-2) ?? "";
    const sheets = Math.ceil(galleryEntries.length / most);
    return Array.from({ length: sheets }, (_, i) => [
      sheets === 1 ? `parts-${feature}` : `parts-${feature}-${i + 1}`,
      galleryEntries.slice(i * most, (i + 1) * most),
    ]);
  }),
);

export function Parts(props: { app: App; entries: Entry[] }): JSX.Element {
  return (
    <AppProvider app={props.app}>
      <main data-component="parts">
        <h1 class="visually-hidden">Parts</h1>
        <For each={props.entries}>
          {(entry) => (
            <section aria-label={entry.name}>
              <h2>{entry.name}</h2>
              <div data-slot="part">{entry.component()}</div>
            </section>
          )}
        </For>
      </main>
    </AppProvider>
  );
}
