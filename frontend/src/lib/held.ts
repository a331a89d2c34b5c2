import { type Accessor, createMemo } from "solid-js";

/**
 * The last value there was. What is shown under a condition may be asked once more
 * after the condition has ended (by a frame that was due, by an observer), and has
 * to have an answer then.
 */
export function held<T>(read: () => T | null | undefined): Accessor<T> {
  // Whoever reads it does so under the condition that there has been one.
  return createMemo<T | undefined>((last) => read() ?? last) as Accessor<T>;
}
