// Where a session is on the guided tour. The program knows the steps and which of them
// comes next; the page asks whenever the conversation has come to rest.

import { type Accessor, createEffect, createSignal, on } from "solid-js";
import type { RehearsalStep, RehearsalTour } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import type { App } from "../../store/context";
import { isBusy, questionsOf } from "../../store/state";

interface TourPlace {
  /** The step that comes next, null at the end. */
  next: RehearsalStep | null;
  /** The last one, which ends the tour, unless it comes next. */
  end: RehearsalStep | null;
}

export interface Tour {
  /** Null while there is nothing to choose: the session is not on the tour, or something is under way. */
  place: Accessor<TourPlace | null>;
  /** Why the next step is unknown or was not begun, "" without a reason. */
  error: Accessor<string>;
  /** Whether a step has been asked for and not begun yet. */
  busy: Accessor<boolean>;
  play(step: RehearsalStep): Promise<boolean>;
  retry(): void;
}

export function createTour({ state, host }: Pick<App, "state" | "host">, sessionId: Accessor<string>): Tour {
  const [known, setKnown] = createSignal<RehearsalTour | null>(null);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [again, setAgain] = createSignal(0);

  /** What the conversation ends with, while it rests; "" while it does not. */
  const rest = (): string => {
    const session = state.sessions[sessionId()];
    const conversation = state.conversations[sessionId()];
    const resting = session?.rehearsal && session.deletedAt === 0 && !isBusy(session) && session.queued.length === 0;
    if (!resting || conversation?.load !== "ready" || questionsOf(state, sessionId()).length > 0 || host.status().kind !== "open") return "";
    return `${sessionId()} ${conversation.order.at(-1) ?? "begin"}`;
  };

  let asked = 0;
  async function ask(id: string): Promise<void> {
    const serial = ++asked;
    try {
      const tour = await host.call("rehearsal.tour", { sessionId: id });
      if (serial === asked) setKnown(tour);
    } catch (failure) {
      if (serial === asked) setError(messageOf(failure));
    }
  }

  createEffect(
    on([rest, again], ([now]) => {
      asked++;
      setKnown(null);
      setError("");
      setBusy(false);
      if (now !== "") void ask(sessionId());
    }),
  );

  return {
    place() {
      const tour = known();
      if (!tour || tour.steps.length === 0) return null;
      const next = tour.steps.find((step) => step.id === tour.next) ?? null;
      const last = tour.steps.at(-1) ?? null;
      return { next, end: next && next !== tour.steps[0] && next !== last ? last : null };
    },
    error,
    busy,
    async play(step) {
      const at = rest();
      if (busy() || at === "") return false;
      setBusy(true);
      setError("");
      try {
        // Two clicks, in one window or in two, are one prompt.
        await host.call("session.prompt", { sessionId: sessionId(), text: step.prompt, promptId: `tour ${step.id} ${at}` });
        return true;
      } catch (failure) {
        setError(messageOf(failure));
        setBusy(false);
        return false;
      }
    },
    retry: () => setAgain(again() + 1),
  };
}
