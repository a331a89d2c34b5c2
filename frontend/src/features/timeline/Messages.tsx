import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, onMount, Show, untrack } from "solid-js";
import { Virtualizer, type VirtualizerHandle } from "virtua/solid";
import { text as words } from "../../i18n";
import { useApp } from "../../store/context";
import { activityOf, type Conversation, questionsOf } from "../../store/state";
import { SteadyRow, SteadyRows } from "../../ui/steady-rows";
import { TourSteps } from "../tour/TourSteps";
import { ActivityLine } from "./ActivityLine";
import { Announcer, newest } from "./Announcer";
import { recallHeights, rememberHeights } from "./heights";
import { createPinnedRows } from "./pinned-rows";
import { createJumps } from "./jumps";
import { createMessageKeys, edgeOf } from "./keys";
import { Origin } from "./Origin";
import { createPace } from "./pace";
import { Row } from "./Row";
import { createRows } from "./rows";
import type { Scope } from "../../store/scope";
import { createFollowScroll } from "./scroll";
import { ToEnd } from "./ToEnd";

// The list is virtua's. Measured against @tanstack/solid-virtual 3.13.53 in Chromium
// with software rendering, 10,000 rows of unknown heights (30 to 600 px), best of two:
//
//                                           virtua 0.54      tanstack
//   first rows drawn                         11 ms            17 ms
//   60 and 500 rows put in front, moved by   0 px             0 px (anchorTo: "end", else lost)
//   going to rows nobody measured            1 frame, exact   1 frame, exact
//   a row above the view grows, moved by     0 px             0 px
//   the last row grows 60 times, off by      0 px             0 px
//   end to end by 600 px, longest frame      48 ms            65 ms
//
// Both hold; this one is quicker to draw, keeps rows drawn by their index
// (keepMounted), takes sizes back that it measured before, and is there already.

/** Older messages are loaded this many view heights before they are needed, and at least px before. */
const aheadViews = 5;
const aheadLeast = 4000;
/** Rows are rendered this far beyond the view, in px. */
const beyond = 500;
/** The position is saved when scrolling has paused for this long. */
const rest = 400;
/** Elements that handle Home and End themselves. */
const ownKeys = "input, textarea, select, pre, [contenteditable], [role=menu], [role=radiogroup], [role=tablist]";
/** The space above a message reached by keyboard, in px. */
const keyLead = 16;

/** The messages in order: the newest of a session, or those around one farther back. */
export function Messages(props: { sessionId: string; conversation: Conversation; far: boolean }): JSX.Element {
  const { state, actions, layout } = useApp();
  const scroll = createFollowScroll(() => !props.far);
  const rows = createRows(() => props.conversation.order);
  const kept = createPinnedRows(rows);
  const pace = createPace();
  const elements = new Map<string, HTMLElement>();
  const [drawn, setDrawn] = createSignal(false);
  /** The user wants to see the very beginning, which is still loading. */
  let toStart = false;
  let scroller!: HTMLElement;
  let content!: HTMLElement;
  let tail!: HTMLElement;
  let virtual: VirtualizerHandle | undefined;
  let lead = 0;
  let resting: ReturnType<typeof setTimeout> | undefined;

  const asked = createMemo(() => new Set(questionsOf(state, props.sessionId).map((q) => q.toolUseId)));
  const scope: Scope = {
    get sessionId() {
      return props.sessionId;
    },
    get conversation() {
      return props.conversation;
    },
    get cwd() {
      return state.sessions[props.sessionId]?.cwd ?? "";
    },
    asking: (toolUseId) => asked().has(toolUseId),
    task: (toolUseId) => state.sessions[props.sessionId]?.tasks.find((t) => t.toolUseId === toolUseId),
  };

  function readAhead(): void {
    const { hasMore, loadingOlder } = props.conversation;
    if (toStart) scroll.toStart();
    toStart &&= hasMore;
    if (!hasMore || loadingOlder || scroller.clientHeight === 0) return;
    const ahead = Math.max(aheadLeast, aheadViews * scroller.clientHeight);
    if (scroller.scrollTop < ahead) void actions.loadOlder(props.sessionId);
  }
  function keepPlace(): void {
    clearTimeout(resting);
    if (scroller.isConnected) layout.setPlace(props.sessionId, scroll.place());
  }
  const ids = () => untrack(rows).ids;
  const jumps = createJumps(() => state.jumps[props.sessionId], (id) => ids().includes(id) && scroll.show(id));

  onMount(() => {
    lead = Number.parseFloat(getComputedStyle(scroller).getPropertyValue("scroll-padding-block-start")) || 0;
    scroll.attach({ scroller, lead, height: () => content.offsetHeight, ids, virtual: () => virtual, row: (id) => elements.get(id) });
    kept.attach(scroller);
    pace.attach(scroller);
    setDrawn(true);
    const place = untrack(() => layout.state.places[props.sessionId]);
    if (!place || !scroll.goTo(place)) scroll.toEnd();
    const observer = new ResizeObserver(() => scroll.resized());
    observer.observe(scroller);
    observer.observe(tail);
    onCleanup(() => observer.disconnect());
    createEffect(
      on([() => rows().ids.length, rows, () => props.conversation.loadingOlder], () => {
        // After the list has placed its rows. If the messages fit, there is no scrolling to trigger loading.
        queueMicrotask(readAhead);
      }),
    );
    jumps.follow();
  });
  onCleanup(() => {
    keepPlace();
    actions.settleJump(props.sessionId);
  });

  // Scrolls to a prompt the user sends, wherever they are. The initial value, "" without a prompt sent here, does not
  // count.
  const lastPrompt = createMemo(() => (props.far || props.conversation.load !== "ready" ? undefined : (newest(props.conversation, (message) => message.promptId) ?? "")));
  createEffect(on(lastPrompt, (now, before) => now && before !== undefined && scroll.toEnd()));

  const newestRead = () => {
    const near = state.conversations[props.sessionId];
    return near?.load === "ready" ? near : undefined;
  };

  /** Changes with every addition at the end, at constant cost. */
  const end = createMemo(() => {
    const { order, messages, blocks } = props.conversation;
    const last = messages[order[order.length - 1] ?? ""];
    const block = blocks[last?.blockIds.at(-1) ?? ""];
    return `${props.far} ${last?.id} ${last?.blockIds.length} ${block?.text?.length} ${block?.tool?.state}`;
  });
  createEffect(
    on(end, (now, before) => {
      if (before?.startsWith(`${props.far}`) && now !== before) scroll.grew();
    }),
  );

  createMessageKeys({
    active: () => state.current === props.sessionId,
    root: () => scroller,
    ids,
    here: () => untrack(kept.focused) || (scroll.place()?.message ?? ids().at(-1) ?? ""),
    started: () => untrack(kept.focused) !== "",
    toEdge,
    show(id) {
      scroll.show(id, keyLead);
      const message = elements.get(id)?.querySelector<HTMLElement>("[data-message-id]");
      if (!message) return;
      message.tabIndex = -1;
      // Chromium doesn't count Alt combinations as keyboard input and would not show the focus ring.
      message.dataset["byKey"] = "";
      message.addEventListener("blur", () => delete message.dataset["byKey"], { once: true });
      message.focus({ preventScroll: true });
    },
  });

  /** Goes to an end of the whole conversation, whether loaded or not. */
  function toEdge(edge: "start" | "end"): void {
    toStart = edge === "start";
    if (toStart) {
      if (props.conversation.hasMore) void actions.toStart(props.sessionId, () => toStart);
      else readAhead();
      return;
    }
    if (props.far) {
      layout.setPlace(props.sessionId, null);
      actions.leaveJump(props.sessionId);
    }
    scroll.toEnd();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
    const edge = edgeOf(event.key);
    if (!edge) toStart &&= target !== scroller;
    // Elements in a message that handle these keys themselves keep them.
    else if (!(target instanceof Element) || !target.closest(ownKeys)) {
      event.preventDefault();
      toEdge(edge);
    }
  }

  return (
    <div data-component="timeline">
      <div
        ref={(el) => (scroller = el)}
        data-slot="scroller"
        role="log"
        aria-label={words().timeline.conversation}
        // Finished parts are announced below; deltas are not.
        aria-live="off"
        aria-busy={props.conversation.loadingOlder}
        tabindex="0"
        onKeyDown={onKeyDown}
        onWheel={() => (toStart = false)}
        onScroll={() => {
          if (!toStart) readAhead();
          clearTimeout(resting);
          resting = setTimeout(keepPlace, rest);
        }}
      >
        <div ref={(el) => (content = el)} data-slot="content">
          <Show
            when={rows().ids.length > 0}
            fallback={
              <div data-component="timeline-blank">
                <h2>{words().timeline.empty}</h2>
                <p>{words().timeline.emptyHint}</p>
              </div>
            }
          >
            <Show when={drawn() && rows().epoch} keyed>
              {(_epoch) => (
                <Virtualizer
                  ref={(handle) => {
                    // Save the measurements before the list is unmounted.
                    if (!handle && virtual) rememberHeights(layout, props.sessionId, scroller.clientWidth, ids(), virtual.cache);
                    virtual = handle;
                  }}
                  as={SteadyRows}
                  item={SteadyRow}
                  scrollRef={scroller}
                  startMargin={lead}
                  data={rows().ids}
                  shift={rows().shift}
                  keepMounted={kept.indexes()}
                  bufferSize={beyond}
                  cache={recallHeights(layout, props.sessionId, scroller.clientWidth, ids())}
                  onScroll={() => {
                    kept.restore();
                    scroll.scrolled();
                  }}
                  onResize={() => scroll.resized()}
                >
                  {(id, index) => (
                    <Row
                      id={id}
                      scope={scope}
                      first={index() === 0}
                      whole={!props.conversation.hasMore}
                      pace={pace}
                      height={() => virtual?.getItemSize(index()) ?? 0}
                      marked={jumps.marked() === id}
                      onElement={(id, element) => {
                        if (element) elements.set(id, element);
                        else elements.delete(id);
                      }}
                    />
                  )}
                </Virtualizer>
              )}
            </Show>
          </Show>
          <div ref={(el) => (tail = el)} data-slot="tail">
            <Show when={props.far} fallback={<Origin sessionId={props.sessionId} />}>
              <p data-slot="gap">{words().timeline.gap}</p>
            </Show>
            <Show when={!props.far && activityOf(props.conversation, state.sessions[props.sessionId])}>{(activity) => <ActivityLine activity={activity()} />}</Show>
            <Show when={!props.far}>
              <TourSteps sessionId={props.sessionId} />
            </Show>
          </div>
        </div>
      </div>
      <Show when={props.conversation.loadingOlder}>
        <p data-slot="reading">{words().timeline.readingOlder}</p>
      </Show>
      <ToEnd
        far={props.far}
        newBelow={scroll.newBelow()}
        away={scroll.away()}
        onEnd={() => toEdge("end")}
      />
      {/* Only once the newest messages are loaded: earlier ones are not news. */}
      <Show when={newestRead()}>{(near) => <Announcer conversation={near()} />}</Show>
    </div>
  );
}
