// The CLI's suggested next prompt, shown in the empty box until the user types.

import { type Accessor, createEffect, createSignal, on } from "solid-js";
import type { Session } from "../../host/border.gen";

/** The suggestion to show, "" for none. Once dismissed by typing, it does not return. */
export function createSuggestion(session: Accessor<Session>, typed: Accessor<string>): Accessor<string> {
  const [past, setPast] = createSignal<string | undefined>();
  const guess = () => session().suggestion ?? "";
  createEffect(on([() => session().id, guess], () => setPast(undefined)));
  createEffect(on(typed, (now) => now !== "" && setPast(guess())));
  return () => (past() === guess() ? "" : guess());
}
