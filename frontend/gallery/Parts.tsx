import { For, type JSX } from "solid-js";
import { type App, AppProvider } from "../src/store/context";
import "./parts.css";

interface Entry {
  name: string;
  component: () => JSX.Element;
}

const modules = import.meta.glob<{ galleryEntries: Entry[] }>("../src/features/*/gallery.tsx", { eager: true });

/** Every part that a feature shows on its own. */
export function Parts(props: { app: App }): JSX.Element {
  return (
    <AppProvider app={props.app}>
      <div data-component="parts">
        <For each={Object.values(modules).flatMap((m) => m.galleryEntries)}>
          {(entry) => (
            <section>
              <h2>{entry.name}</h2>
              <div data-slot="part">{entry.component()}</div>
            </section>
          )}
        </For>
      </div>
    </AppProvider>
  );
}
