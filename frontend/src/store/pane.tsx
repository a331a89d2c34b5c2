// How the parts of a pane find each other. A part that others need registers itself here; no part searches the page for
// another.

import { type Accessor, createContext, onCleanup, useContext } from "solid-js";

/** The parts a pane may have. */
interface Parts {
  /** The text field to write in. */
  box: () => HTMLElement | undefined;
  /** Opens the model menu. */
  models: () => void;
  /** The whole session: the drop target for it. */
  area: () => HTMLElement | undefined;
}

export interface Pane {
  /** Whether it is the focused pane. */
  readonly focused: Accessor<boolean>;
  /** Registers parts until the owner is disposed of. */
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

/** The enclosing pane, or one without parts. */
export function usePane(): Pane {
  return useContext(PaneContext) ?? createPane();
}
