import CalendarSearch from "lucide-solid/icons/calendar-search";
import FlaskConical from "lucide-solid/icons/flask-conical";
import HeartPulse from "lucide-solid/icons/heart-pulse";
import Sunrise from "lucide-solid/icons/sunrise";
import { For, type JSX } from "solid-js";
import type { Schedule, Spec } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { folderNow } from "../../store/names";
import { emptySpec } from "./draft";
import type { HeartbeatsModel } from "./model";
import { scheduleWords } from "./words";

const examples = [
  { id: "summary", name: "morning-summary", icon: Sunrise, schedule: { cron: "0 8 * * 1-5" } },
  { id: "tests", name: "nightly-tests", icon: FlaskConical, schedule: { cron: "30 2 * * *" } },
  { id: "dependencies", name: "dependency-check", icon: CalendarSearch, schedule: { cron: "0 9 * * 1" } },
] as const satisfies readonly { id: string; name: string; icon: unknown; schedule: Schedule }[];

/** What heartbeats are for, with three examples. */
export function Examples(props: { model: HeartbeatsModel }): JSX.Element {
  const app = useApp();
  const words = () => text().heartbeats.empty;
  const specOf = (example: (typeof examples)[number]): Spec => ({
    ...emptySpec(folderNow(app)),
    name: example.name,
    description: words()[example.id].description,
    prompt: words()[example.id].prompt,
    schedule: { ...example.schedule },
  });
  return (
    <div data-slot="begin">
      <HeartPulse size={28} aria-hidden="true" />
      <h3>{words().title}</h3>
      <p>{words().about}</p>
      <p data-slot="aside">{words().examples}</p>
      <ul role="list">
        <For each={examples}>
          {(example, index) => (
            <li>
              <button type="button" data-slot="card" data-autofocus={index() === 0 ? "" : undefined} onClick={() => props.model.create(specOf(example))}>
                <example.icon size={18} aria-hidden="true" />
                <strong>{words()[example.id].title}</strong>
                <span>{words()[example.id].about}</span>
                <small>{scheduleWords(example.schedule)}</small>
              </button>
            </li>
          )}
        </For>
      </ul>
      <Button variant="ghost" onClick={() => props.model.create()}>
        {words().own}
      </Button>
    </div>
  );
}
