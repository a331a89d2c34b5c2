import { For, type JSX, Show } from "solid-js";
import { text, translatedAround } from "../../i18n";
import { ago, createSlowClock } from "../../lib/ago";
import { moment } from "../../lib/dates";
import { ExactText } from "../../ui/exact-text";
import { createReading } from "../../store/reading";
import { Trouble } from "../../ui/trouble";
import type { ChatModel } from "./model";

const most = 50;

/** Events of the connection and the threads, newest first. */
export function Events(props: { model: ChatModel }): JSX.Element {
  const words = () => text().chat.events;
  const reading = createReading("mattermost.events", () => ({ limit: most }), { globals: ["chat.changed", "sessions.changed"] });
  const now = createSlowClock(15_000);
  const kind = (of: string) => (words().kinds as Record<string, string>)[of] ?? of;
  return (
    <section data-slot="events" aria-labelledby="chat-events">
      <h3 id="chat-events">{words().title}</h3>
      <Show when={reading.answer()} fallback={<Trouble reading={reading} failed={text().chat.failed} />}>
        {(answer) => (
          <ul role="list" data-slot="rows">
            <For each={answer().events} fallback={<li data-slot="aside">{words().none}</li>}>
              {(event) => (
                <li data-kind={event.kind}>
                  <time data-slot="aside" title={moment(event.at)}>
                    {ago(event.at, now())}
                  </time>
                  <span data-slot="kind">{kind(event.kind)}</span>
                  <span data-slot="text" dir="auto">
                    <ExactText text={translatedAround(event.text)} />
                    <Show when={event.by}>
                      {" "}
                      <bdi data-slot="aside">
                        <ExactText text={event.by} />
                      </bdi>
                    </Show>
                  </span>
                  <Show when={event.sessionId}>
                    <button type="button" data-slot="link" onClick={() => props.model.openSession(event.sessionId)}>
                      {words().openSession}
                    </button>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        )}
      </Show>
    </section>
  );
}
