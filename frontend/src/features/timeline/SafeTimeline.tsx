import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from "solid-js";
import { text } from "../../i18n";
import type { Message, Session } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import { formatClock } from "../../lib/time";
import { useApp } from "../../store/context";
import { isBusy } from "../../store/state";
import { Button } from "../../ui/button";
import { plainText, senderOf } from "./plain";
import "./safe-timeline.css";

/** The number of messages shown, and the initial length of each. */
const newest = 20;
const mostText = 2000;
/** The text added by "show more". */
const moreText = 20_000;
/** An active session is reloaded this long after a change. */
const calm = 1000;

/**
 * A conversation that may crash the normal view: its newest messages as plain text. It loads them itself and shares
 * nothing with the normal view.
 */
export function SafeTimeline(props: { session: Session; onUsual: () => void }): JSX.Element {
  const { host, state } = useApp();
  const [messages, setMessages] = createSignal<Message[] | null>(null);
  const [more, setMore] = createSignal(false);
  const [error, setError] = createSignal("");
  let request = 0;

  async function read(): Promise<void> {
    const mine = ++request;
    try {
      const page = await host.call("session.history", { sessionId: props.session.id, limit: newest });
      if (mine !== request) return;
      setMessages(page.messages);
      setMore(page.hasMore);
      setError("");
    } catch (failure) {
      if (mine === request) setError(messageOf(failure));
    }
  }
  void read();
  createEffect(
    on(
      () => [props.session.state, props.session.lastActivityAt],
      () => {
        const timer = setTimeout(() => void read(), calm);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );
  onCleanup(() => request++);

  return (
    <div data-component="safe-timeline">
      <div data-slot="bar">
        <p>
          {/* In safe mode, the banner above already says it. */}
          <Show when={!state.info?.safeMode}>
            <strong>{text().timeline.safe.mode}</strong>{" "}
          </Show>
          {text().timeline.safe.about(more())}
        </p>
        <Button size="small" onClick={() => props.onUsual()}>
          {text().timeline.safe.usual}
        </Button>
      </div>
      <div data-slot="scroller" role="log" aria-label={text().timeline.conversation} aria-live="off" tabindex="0">
        <Show when={error()}>
          <p data-slot="aside">{text().timeline.safe.notRead(error())}</p>
        </Show>
        <For each={messages() ?? []}>{(message) => <Plain message={message} />}</For>
        <Show when={messages()?.length === 0}>
          <p data-slot="aside">{text().timeline.safe.empty}</p>
        </Show>
        <Show when={isBusy(props.session)}>
          <p data-slot="aside">{text().timeline.safe.busy}</p>
        </Show>
      </div>
    </div>
  );
}

function Plain(props: { message: Message }): JSX.Element {
  const [length, setLength] = createSignal(mostText);
  const words = () => plainText(props.message);
  return (
    <article data-slot="message">
      <h2>
        {senderOf(props.message)}, {formatClock(props.message.at)}
      </h2>
      <pre>{words().slice(0, length())}</pre>
      <Show when={words().length > length()}>
        <button type="button" data-slot="more" onClick={() => setLength(length() + moreText)}>
          {text().timeline.safe.more(words().length - length())}
        </button>
      </Show>
    </article>
  );
}
