// What the CLI guesses that comes next: shown in the empty box until somebody types.

import { type Accessor, createEffect, createSignal, on } from "solid-js";
import type { Session } from "../../host/border.gen";

/** The guess to show, "" for none. One that somebody typed over does not come back. */
export function createSuggestion(session: Accessor<Session>, typed: Accessor<string>): Accessor<string> {
  const [past, setPast] = createSignal<string | undefined>();
  const guess = () => session().suggestion ?? "";
  createEffect(on([() => session().id, guess], () => setPast(undefined)));
  createEffect(on(typed, (now) => now !== "" && setPast(guess())));
  return () => (past() === guess() ? "" : guess());
}
