import { createMemo, type JSX, untrack } from "solid-js";

/**
 * Draws what a name stands for, anew when the name is another. It is Solid's Switch for
 * what is drawn by the thousand: two computations, where that one makes two for each case.
 */
export function choose<Name extends string>(name: () => Name, draw: (name: Name) => JSX.Element): JSX.Element {
  const chosen = createMemo(name);
  return createMemo(() => {
    const now = chosen();
    return untrack(() => draw(now));
  }) as unknown as JSX.Element;
}
