// What the parts of a pane are to each other. A part that others need offers itself here;
// nobody looks for another part on the page.

import { type Accessor, createContext, onCleanup, useContext } from "solid-js";

/** What may stand in a pane. */
interface Parts {
  /** Where one writes. */
  box: () => HTMLElement | undefined;
  /** Opens the menu of models. */
  models: () => void;
  /** All of the session: what is dropped there is for it. */
  area: () => HTMLElement | undefined;
}

export interface Pane {
  /** Whether it is the one that the user is at. */
  readonly focused: Accessor<boolean>;
  /** A part offers itself until its owner is disposed of. */
  offer(parts: Partial<Parts>): void;
  box(): HTMLElement | undefined;
  area(): HTMLElement | undefined;
  focusComposer(options?: FocusOptions): void;
  openModels(): void;
}

export function createPane(focused: Accessor<boolean> = () => true): Pane {
  let parts: readonly Partial<Parts>[] = [];
  const part = <K extends keyof Parts>(id: K): Parts[K] | undefined => parts.findLast((offered) => offered[id])?.[id];
  const box = () => part("box")?.();
  return {
    focused,
    offer(offered) {
      parts = [...parts, offered];
      onCleanup(() => (parts = parts.filter((other) => other !== offered)));
    },
    box,
    area: () => part("area")?.(),
    focusComposer: (options) => box()?.focus(options),
    openModels: () => part("models")?.(),
  };
}

const PaneContext = createContext<Pane>();

export const PaneProvider = PaneContext.Provider;

/** The pane around; one without other parts for what stands in none. */
export function usePane(): Pane {
  return useContext(PaneContext) ?? createPane();
}
