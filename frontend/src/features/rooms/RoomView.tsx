import Pin from "lucide-solid/icons/pin";
import Settings from "lucide-solid/icons/settings-2";
import Users from "lucide-solid/icons/users";
import { createEffect, createMemo, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { number, text } from "../../i18n";
import { stable } from "../../lib/stable";
import { useApp } from "../../store/context";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { createConversation } from "./conversation";
import { markMentions, unmarkMentions } from "./marks";
import { Members } from "./Members";
import { MessageList } from "./MessageList";
import type { RoomsModel } from "./model";
import { RoomSettings } from "./RoomSettings";
import { SayBox } from "./SayBox";
import { Thread } from "./Thread";
import { clockWords, plain, roomName } from "./words";

/** One room: its messages and actions. */
export function RoomView(props: { model: RoomsModel; id: string }): JSX.Element {
  const { host } = useApp();
  const { model } = props;
  let root!: HTMLDivElement;
  let box: HTMLElement | undefined;
  const room = stable(model.current);
  const name = () => roomName(room(), model.me());
  const conversation = createConversation(host, props.id);
  const readBefore = room().readSeq;
  const thread = () => {
    const side = model.side();
    return side?.kind === "thread" ? side : null;
  };

  /** From here on, the composer writes to the room. */
  function closeThread(): void {
    model.setSide(null);
    box?.focus();
  }

  createEffect(on(() => host.status().kind, (link) => link === "open" && void conversation.newest()));

  // Marks are drawn after new messages have rendered.
  let frame = 0;
  const mark = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => markMentions(root, room().members.map((m) => m.nick), room().members.find((m) => m.id === model.me())?.nick ?? model.rooms.answer()?.nick ?? ""));
  };
  onMount(() => {
    const watch = new MutationObserver(mark);
    watch.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    onCleanup(() => {
      watch.disconnect();
      cancelAnimationFrame(frame);
      unmarkMentions();
    });
  });

  return (
    <div ref={root} data-component="room" data-side={model.side()?.kind}>
      <header data-slot="head">
        <h3>
          <bdi>{name()}</bdi>
        </h3>
        <Show when={room().kind !== "direct"}>
          <IconButton label={room().pinned ? text().rooms.room.unpin : text().rooms.room.pin} aria-pressed={room().pinned} onClick={() => void model.pin(!room().pinned)}>
            <Pin size={16} />
          </IconButton>
        </Show>
        <button type="button" data-slot="members-button" aria-label={`${text().rooms.room.members}, ${number(room().members.length)}`} aria-expanded={model.side()?.kind === "members"} onClick={() => model.toggle("members")}>
          <Users size={16} aria-hidden="true" />
          {number(room().members.length)}
        </button>
        <IconButton label={text().rooms.room.settings} aria-expanded={model.side()?.kind === "settings"} onClick={() => model.toggle("settings")}>
          <Settings size={16} />
        </IconButton>
      </header>
      <Banners model={model} lastHops={conversation.messages().at(-1)?.hops ?? 0} atEnd={!conversation.newer()} />
      <div data-slot="columns">
        <div data-slot="talk">
          <MessageList
            model={model}
            room={room()}
            conversation={conversation}
            label={text().rooms.room.conversation(name())}
            readBefore={readBefore}
            onThread={(seq, write) => model.setSide({ kind: "thread", seq, write })}
          />
          <SayBox model={model} room={room()} conversation={conversation} focused={thread() === null} ref={(el) => (box = el)} />
        </div>
        <Show when={model.side()?.kind === "members"}>
          <Members model={model} room={room()} />
        </Show>
        <Show when={model.side()?.kind === "settings"}>
          <RoomSettings model={model} room={room()} />
        </Show>
        <Show when={thread()} keyed>
          {(at) => <Thread model={model} room={room()} seq={at.seq} write={at.write} onClose={closeThread} />}
        </Show>
      </div>
    </div>
  );
}

/** Why the room's sessions are paused, or their messages do not get through. */
function Banners(props: { model: RoomsModel; lastHops: number; atEnd: boolean }): JSX.Element {
  const words = () => text().rooms.room;
  const room = stable(props.model.current);
  const connection = () => props.model.rooms.answer()?.connection;
  const limited = () => room().limitedUntil > Date.now();
  const looped = createMemo(() => props.atEnd && room().rules.maxHops > 0 && props.lastHops >= room().rules.maxHops);
  return (
    <>
      <Show when={connection() && !connection()?.connected && connection()?.kind === "nats"}>
        <div data-slot="notice" data-bad="" role="status">
          <p dir="auto">
            {text().rooms.connection.lostAbout(plain(connection()?.server ?? ""))} <Show when={connection()?.problem}>{(why) => plain(why())}</Show>
          </p>
        </div>
      </Show>
      <Show when={limited() || looped()}>
        <div data-slot="notice" data-bad="" role="status">
          <p>{limited() ? words().limited(room().turns, clockWords(room().limitedUntil)) : words().looped(room().rules.maxHops)}</p>
          <Show when={props.model.side()?.kind !== "settings"}>
            <Button size="small" onClick={() => props.model.setSide({ kind: "settings" })}>
              {words().rules}
            </Button>
          </Show>
        </div>
      </Show>
    </>
  );
}
