import ArrowDown from "lucide-solid/icons/arrow-down";
import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import type { Room, RoomMessage } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { Announcer } from "./Announcer";
import type { Conversation } from "./conversation";
import { tellSeen } from "./list";
import { MessageRow } from "./MessageRow";
import type { RoomsModel } from "./model";

/** Within this distance of an end, in pixels, it counts as reached. */
const near = 48;
/** Within this distance of an end, more is loaded. */
const ahead = 300;

/** The messages, newest at the bottom. The view follows new ones while it is at the bottom. */
export function MessageList(props: {
  model: RoomsModel;
  room: Room;
  conversation: Conversation;
  label: string;
  /** The last message seen before the room was opened. */
  readBefore: number;
  /** Whether it is a thread, which shows no quotes. */
  inThread?: boolean;
  onThread: (seq: number, write: boolean) => void;
}): JSX.Element {
  const { host } = useApp();
  const { conversation } = props;
  let scroller!: HTMLDivElement;
  let list!: HTMLOListElement;
  const [atEnd, setAtEnd] = createSignal(true);
  const [below, setBelow] = createSignal(0);
  const [heard, setHeard] = createSignal<RoomMessage | null>(null);
  const words = () => text().rooms.log;
  const me = () => props.model.me();

  conversation.follow(
    (message) => {
      if (message.from.memberId === me()) return;
      setHeard(message);
      if (!atEnd()) setBelow((n) => n + 1);
    },
    () => atEnd(),
  );

  /** Where the last scroll to the end went. */
  let endedAt = Number.POSITIVE_INFINITY;
  function scrollToEnd(): void {
    scroller.scrollTop = scroller.scrollHeight;
    endedAt = scroller.scrollTop;
  }
  function toEnd(): void {
    setBelow(0);
    setAtEnd(true);
    scrollToEnd();
  }
  async function toNewest(): Promise<void> {
    // This removes the button.
    scroller.focus({ preventScroll: true });
    if (conversation.newer()) await conversation.newest();
    toEnd();
  }

  /** Keeps the visible messages in place while others are inserted around them. */
  async function still(read: () => Promise<void>): Promise<void> {
    const top = scroller.getBoundingClientRect().top;
    const seen = [...list.children].find((row) => row.getBoundingClientRect().bottom > top);
    const before = seen?.getBoundingClientRect().top ?? 0;
    await read();
    if (seen?.isConnected) scroller.scrollTop += seen.getBoundingClientRect().top - before;
  }

  function onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const left = scrollHeight - scrollTop - clientHeight;
    // Content may have grown since it was scrolled to the end. Then the user didn't leave it.
    const grew = atEnd() && scrollTop >= endedAt;
    const end = (left < near || grew) && !conversation.newer();
    setAtEnd(end);
    if (end) setBelow(0);
    if (conversation.busy() !== "") return;
    if (scrollTop < ahead && conversation.older()) void still(conversation.readOlder);
    else if (left < ahead && conversation.newer()) void still(conversation.readNewer);
  }

  // Follows content that was added or grew.
  onMount(() => {
    const follow = () => atEnd() && scrollToEnd();
    const watch = new ResizeObserver(follow);
    watch.observe(list);
    watch.observe(scroller);
    onCleanup(() => watch.disconnect());
  });
  createEffect(
    on(
      () => [conversation.messages().length, conversation.waiting().length],
      () => atEnd() && toEnd(),
    ),
  );

  // The last message that was visible while the user was looking.
  let seen = props.readBefore;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const [focused, setFocused] = createSignal(document.hasFocus());
  const look = () => setFocused(document.hasFocus());
  for (const name of ["focus", "blur"]) window.addEventListener(name, look);
  onCleanup(() => {
    clearTimeout(timer);
    for (const name of ["focus", "blur"]) window.removeEventListener(name, look);
  });
  const roomId = props.room.id;
  /** The last message seen but not yet recorded, 0 for none. */
  let due = 0;
  function note(): void {
    clearTimeout(timer);
    if (due <= seen) return;
    seen = due;
    host.call("room.markRead", { roomId, seq: due }).then(tellSeen, () => (seen = 0));
  }
  createEffect(() => {
    const last = conversation.last();
    if (props.inThread || !atEnd() || !focused() || last <= seen || host.status().kind !== "open") return;
    due = last;
    clearTimeout(timer);
    timer = setTimeout(note, 250);
  });
  onCleanup(note);

  /** The first unread message when the room was opened, unless it is the first of all. */
  const fresh = createMemo(() => {
    if (props.inThread || props.readBefore === 0) return 0;
    const at = conversation.messages().findIndex((m) => m.seq > props.readBefore && m.from.memberId !== me());
    return at > 0 ? (conversation.messages()[at]?.seq ?? 0) : 0;
  });

  return (
    <div data-slot="log">
      <div ref={scroller} data-slot="scroller" role="log" aria-live="off" aria-label={props.label} tabindex="0" onScroll={onScroll}>
        <Show when={conversation.error()}>
          {(why) => (
            <div data-slot="empty" role="alert">
              <strong>{words().unread}</strong>
              <p dir="auto">{why()}</p>
              <Button size="small" onClick={() => void conversation.newest()}>
                {text().common.tryAgain}
              </Button>
            </div>
          )}
        </Show>
        <Show when={conversation.older()}>
          <div data-slot="more">
            <Button size="small" variant="ghost" disabled={conversation.busy() === "older"} onClick={() => void still(conversation.readOlder)}>
              {words().earlier}
            </Button>
          </div>
        </Show>
        <Show when={conversation.ready() && !conversation.older() && conversation.messages().length > 0 && !props.inThread}>
          <p data-slot="beginning">{words().begin}</p>
        </Show>
        <Show when={conversation.ready() && conversation.messages().length + conversation.waiting().length === 0}>
          <div data-slot="empty">
            <strong>{words().empty}</strong>
            <Show when={!props.room.members.some((m) => m.id !== me())}>
              <p>{words().emptyAlone}</p>
            </Show>
          </div>
        </Show>
        <ol ref={list} role="list" data-slot="messages">
          <For each={conversation.messages()}>
            {(message, index) => (
              <MessageRow
                model={props.model}
                room={props.room}
                conversation={conversation}
                message={message}
                before={conversation.messages()[index() - 1]}
                fresh={message.seq === fresh()}
                inThread={props.inThread}
                onThread={props.onThread}
              />
            )}
          </For>
          <For each={conversation.waiting()}>
            {(message) => <MessageRow model={props.model} room={props.room} conversation={conversation} message={message} inThread={props.inThread} onThread={props.onThread} />}
          </For>
        </ol>
        <Show when={conversation.newer()}>
          <div data-slot="more">
            <Button size="small" variant="ghost" disabled={conversation.busy() === "newer"} onClick={() => void still(conversation.readNewer)}>
              {words().later}
            </Button>
          </div>
        </Show>
      </div>
      <Show when={!atEnd() && conversation.messages().length > 0}>
        <button type="button" data-slot="below" data-new={below() > 0 || undefined} onClick={() => void toNewest()}>
          <ArrowDown size={14} aria-hidden="true" />
          {below() > 0 ? words().below(below()) : words().newest}
        </button>
      </Show>
      <Announcer heard={heard()} />
    </div>
  );
}
