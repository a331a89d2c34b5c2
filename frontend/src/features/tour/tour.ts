// A session's place in the guided tour. The program knows the steps and the next one; the page asks whenever the
// conversation is idle.

import { type Accessor, createEffect, createSignal, on } from "solid-js";
import type { DemoStep, DemoTour } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import type { App } from "../../store/context";
import { isBusy, questionsOf } from "../../store/state";

interface TourPlace {
  /** The next step, null at the end. */
  next: DemoStep | null;
  /** The last step, which ends the tour, unless it is the next one. */
  end: DemoStep | null;
}

export interface Tour {
  /** Null if there is nothing to choose: the session is not on the tour, or is busy. */
  place: Accessor<TourPlace | null>;
  /** Why the next step is unknown or did not start, "" for none. */
  error: Accessor<string>;
  /** Whether a step was requested but has not started. */
  busy: Accessor<boolean>;
  play(step: DemoStep): Promise<boolean>;
  retry(): void;
}

export function createTour({ state, host }: Pick<App, "state" | "host">, sessionId: Accessor<string>): Tour {
  const [known, setKnown] = createSignal<DemoTour | null>(null);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [again, setAgain] = createSignal(0);

  /** The last message while the conversation is idle; "" otherwise. */
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
      const tour = await host.call("demo.tour", { sessionId: id });
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
        // The fixed prompt id makes two clicks, in one window or two, a single prompt.
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
