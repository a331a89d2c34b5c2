import ArrowDown from "lucide-solid/icons/arrow-down";
import { createEffect, createMemo, createSignal, For, type JSX, Match, on, onMount, Show, Switch } from "solid-js";
import { useApp } from "../../store/context";
import { type Conversation, questionsOf } from "../../store/state";
import { Button } from "../../ui/button";
import { ActivityLine } from "./ActivityLine";
import { MessageView, textOf } from "./Message";
import type { Scope } from "./scope";
import { createFollowScroll } from "./scroll";
import "./timeline.css";

// So near to the top older messages are read.
const TOP = 80;

/** The conversation of a session. */
export function Timeline(props: { sessionId: string }): JSX.Element {
  return (
    <Show when={props.sessionId} keyed>
      {(sessionId) => <Conversations sessionId={sessionId} />}
    </Show>
  );
}

function Conversations(props: { sessionId: string }): JSX.Element {
  const { state, actions } = useApp();
  const conversation = () => state.conversations[props.sessionId];
  return (
    <Switch>
      <Match when={!conversation() || conversation()?.load === "loading"}>
        <div data-component="timeline-blank" role="status">
          <p data-slot="late">Reading the conversation…</p>
        </div>
      </Match>
      <Match when={conversation()?.load === "failed"}>
        <div data-component="timeline-blank">
          <h2>The conversation could not be read</h2>
          <p>{conversation()?.error}</p>
          <Button onClick={() => void actions.reload(props.sessionId)}>Try again</Button>
        </div>
      </Match>
      <Match when={conversation()}>{(found) => <Messages sessionId={props.sessionId} conversation={found()} />}</Match>
    </Switch>
  );
}

function Messages(props: { sessionId: string; conversation: Conversation }): JSX.Element {
  const { state, actions } = useApp();
  const scroll = createFollowScroll();
  let scroller!: HTMLElement;
  let content!: HTMLElement;
  onMount(() => {
    scroll.attach(scroller, content);
    scroll.toEnd();
  });

  const asked = createMemo(() => new Set(questionsOf(state, props.sessionId).map((q) => q.toolUseId)));
  const scope: Scope = {
    get conversation() {
      return props.conversation;
    },
    get cwd() {
      return state.sessions[props.sessionId]?.cwd ?? "";
    },
    asking: (toolUseId) => asked().has(toolUseId),
    task: (toolUseId) => state.sessions[props.sessionId]?.tasks.find((t) => t.toolUseId === toolUseId),
  };

  const older = () => {
    if (!props.conversation.hasMore || props.conversation.loadingOlder) return;
    void scroll.keepPlace(() => actions.loadOlder(props.sessionId));
  };
  // What the person sends is shown to them, wherever they were.
  const lastPrompt = createMemo(() =>
    props.conversation.order.findLast((id) => props.conversation.messages[id]?.promptId),
  );
  createEffect(on(lastPrompt, () => scroll.toEnd(), { defer: true }));

  return (
    <div data-component="timeline">
      <div
        ref={(el) => (scroller = el)}
        data-slot="scroller"
        role="log"
        aria-label="Conversation"
        // The parts that are finished are announced below; deltas are not.
        aria-live="off"
        tabindex="0"
        onScroll={(event) => {
          if (event.currentTarget.scrollTop < TOP) older();
        }}
      >
        <div ref={(el) => (content = el)} data-slot="content">
          <Show when={props.conversation.hasMore}>
            <div data-slot="older">
              <Button variant="ghost" size="small" disabled={props.conversation.loadingOlder} onClick={older}>
                {props.conversation.loadingOlder ? "Reading older messages…" : "Load older messages"}
              </Button>
            </div>
          </Show>
          <For
            each={props.conversation.order}
            fallback={
              <div data-component="timeline-blank">
                <h2>Nothing said yet</h2>
                <p>Ask about this folder, or say what should be done in it.</p>
              </div>
            }
          >
            {(id) => <MessageView id={id} scope={scope} />}
          </For>
          <Show when={props.conversation.activity}>{(activity) => <ActivityLine activity={activity()} />}</Show>
        </div>
      </div>
      <Show when={scroll.newBelow()}>
        <button type="button" data-slot="new-below" onClick={() => scroll.toEnd()}>
          <ArrowDown size={14} />
          New below
        </button>
      </Show>
      <Announcer scope={scope} />
    </div>
  );
}

const MOST_SPOKEN = 600;

/** Says a turn's answer to those who listen, once, when it is complete. */
function Announcer(props: { scope: Scope }): JSX.Element {
  const [said, setSaid] = createSignal("");
  const finished = createMemo(() =>
    props.scope.conversation.order.findLast((id) => props.scope.conversation.messages[id]?.result),
  );
  createEffect(
    on(
      finished,
      (id) => {
        const message = id === undefined ? undefined : props.scope.conversation.messages[id];
        if (message) setSaid(`Claude: ${textOf(message, props.scope).slice(0, MOST_SPOKEN)}`);
      },
      { defer: true },
    ),
  );
  return (
    <div class="visually-hidden" aria-live="polite" data-slot="announcer">
      {said()}
    </div>
  );
}
