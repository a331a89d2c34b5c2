import ExternalLink from "lucide-solid/icons/external-link";
import Pause from "lucide-solid/icons/pause";
import Play from "lucide-solid/icons/play";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { ChatThread } from "../../host/border.gen";
import { text } from "../../i18n";
import { ago, createSlowClock } from "../../lib/ago";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { ExactText } from "../../ui/exact-text";
import { IconButton } from "../../ui/icon-button";
import { createReading } from "../../store/reading";
import { Trouble } from "../../ui/trouble";
import type { ChatModel } from "./model";

const page = 50;
const most = 100;

/** The threads with a session, most recently used first. */
export function ThreadsTab(props: { model: ChatModel }): JSX.Element {
  const { host } = useApp();
  const words = () => text().chat.threads;
  const [limit, setLimit] = createSignal(page);
  const reading = createReading("mattermost.threads", () => ({ limit: limit() }), { globals: ["chat.changed", "sessions.changed"] });
  const now = createSlowClock(15_000);
  const list = () => reading.answer()?.threads ?? [];
  const ids = createMemo(() => list().map(({ threadId }) => threadId));

  async function pause(thread: ChatThread): Promise<void> {
    await props.model.attempt(host.call("session.mirror", { sessionId: thread.sessionId, on: thread.paused }));
    reading.again();
  }

  return (
    <Show when={reading.answer()} fallback={<Trouble reading={reading} failed={text().chat.failed} />}>
      <Show
        when={ids().length > 0}
        fallback={
          <div data-slot="empty">
            <strong>{words().none}</strong>
            <p>{words().noneAbout}</p>
          </div>
        }
      >
        <ul role="list" data-slot="rows" aria-label={words().list}>
          <For each={ids()}>
            {(id) => (
              <Show when={list().find(({ threadId }) => threadId === id)}>
                {(thread) => {
                  const name = () => thread().title || words().untitled;
                  return (
                    <li>
                      <div data-slot="row">
                        <div data-slot="what">
                          <button type="button" data-slot="title" aria-label={words().openSession(name())} onClick={() => props.model.openSession(thread().sessionId)}>
                            <bdi>
                              <ExactText text={name()} />
                            </bdi>
                          </button>
                          <p data-slot="aside">
                            <bdi>
                              <ExactText text={thread().channel} />
                            </bdi>{" "}
                            · {thread().mirror ? words().mirrored : words().began}
                            <Show when={thread().paused}> · {words().paused}</Show>
                          </p>
                        </div>
                        <span data-slot="aside">{ago(thread().usedAt, now())}</span>
                        <div data-slot="acts">
                          <IconButton label={thread().paused ? words().resume(name()) : words().pause(name())} onClick={() => void pause(thread())}>
                            <Show when={thread().paused} fallback={<Pause size={15} />}>
                              <Play size={15} />
                            </Show>
                          </IconButton>
                          <a data-component="icon-button" data-variant="ghost" href={thread().link} aria-label={words().openThread(name())} title={words().openThread(name())}>
                            <ExternalLink size={15} />
                          </a>
                        </div>
                      </div>
                    </li>
                  );
                }}
              </Show>
            )}
          </For>
        </ul>
        <Show when={limit() < most && (reading.answer()?.total ?? 0) > ids().length}>
          <Button size="small" onClick={() => setLimit(most)}>
            {words().more}
          </Button>
        </Show>
      </Show>
    </Show>
  );
}
