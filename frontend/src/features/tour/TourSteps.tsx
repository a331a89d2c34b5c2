import ArrowRight from "lucide-solid/icons/arrow-right";
import Undo2 from "lucide-solid/icons/undo-2";
import { type JSX, Show } from "solid-js";
import type { DemoStep } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { usePane } from "../../store/pane";
import { Button } from "../../ui/button";
import { createTour } from "./tour";
import "./tour.css";

/** The next step of the tour, below its conversation. */
export function TourSteps(props: { sessionId: string }): JSX.Element {
  const app = useApp();
  const pane = usePane();
  const tour = createTour(app, () => props.sessionId);
  const words = () => text().tour;
  /** A step without a name on the page is shown by its prompt. */
  const name = (step: DemoStep) => (words().steps as Record<string, string>)[step.id] ?? words().next(step.prompt);

  async function play(step: DemoStep): Promise<void> {
    // The button is removed; focus the composer instead.
    if (await tour.play(step)) pane.focusComposer();
  }

  return (
    <Show when={tour.place() ?? tour.error()}>
      <div data-component="tour-steps" role="group" aria-label={words().label}>
        <Show when={tour.error()}>
          <p data-slot="error" role="alert">
            {tour.error()}
          </p>
        </Show>
        <div data-slot="buttons">
          <Show when={tour.place()} fallback={<Button onClick={() => tour.retry()}>{text().common.tryAgain}</Button>}>
            {(place) => (
              <Show
                when={place().next}
                fallback={
                  <Button variant="primary" onClick={() => app.actions.open(null)}>
                    {words().leave}
                    <ArrowRight size={16} />
                  </Button>
                }
              >
                {(next) => (
                  <Button variant="primary" aria-disabled={tour.busy()} onClick={() => void play(next())}>
                    <Show when={next().id === "undo"}>
                      <Undo2 size={16} />
                    </Show>
                    {name(next())}
                    <Show when={next().id !== "undo"}>
                      <ArrowRight size={16} />
                    </Show>
                  </Button>
                )}
              </Show>
            )}
          </Show>
          <Show when={tour.place()?.end}>
            {(end) => (
              <Button variant="ghost" aria-disabled={tour.busy()} onClick={() => void play(end())}>
                {words().skip}
              </Button>
            )}
          </Show>
        </div>
      </div>
    </Show>
  );
}
