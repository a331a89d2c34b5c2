import { type Accessor, createMemo } from "solid-js";

/**
 * The last non-empty value. Content under a condition may be read once more after the condition has ended (by a pending
 * frame or an observer), and must still have a value then.
 */
export function stable<T>(read: () => T | null | undefined): Accessor<T> {
  // Callers only read it under the condition that a value has existed.
  return createMemo<T | undefined>((last) => read() ?? last) as Accessor<T>;
}
