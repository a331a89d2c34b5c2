import Hash from "lucide-solid/icons/hash";
import MessagesSquare from "lucide-solid/icons/messages-square";
import Pin from "lucide-solid/icons/pin";
import Plus from "lucide-solid/icons/plus";
import { For, type JSX, Show } from "solid-js";
import type { Room } from "../../host/border.gen";
import { number, text } from "../../i18n";
import type { RoomsModel } from "./model";
import { plain, roomName } from "./words";

/** The rooms, with their unread counts. */
export function Places(props: { model: RoomsModel }): JSX.Element {
  const words = () => text().rooms;
  const ids = (kind: string) => props.model.list().filter((r) => (r.kind === "direct") === (kind === "direct")).map((r) => r.id);
  const room = (id: string) => props.model.list().find((r) => r.id === id);
  const connection = () => props.model.rooms.answer()?.connection;

  // Keyed by id, so that reloading the list keeps the focus.
  const Rows = (rows: { kind: string }) => (
    <ul role="list">
      <For each={ids(rows.kind)}>{(id) => <Show when={room(id)}>{(one) => <Place model={props.model} room={one()} />}</Show>}</For>
    </ul>
  );

  return (
    <nav data-slot="places" aria-label={words().list}>
      <div data-slot="lists">
        <Rows kind="room" />
        <button type="button" data-slot="place" data-new="" aria-current={props.model.creating() ? "page" : undefined} onClick={() => props.model.setCreating(true)}>
          <Plus size={15} aria-hidden="true" />
          <span data-slot="name">{words().new}</span>
        </button>
        <Show when={ids("direct").length > 0}>
          <h3>{words().direct}</h3>
          <Rows kind="direct" />
        </Show>
      </div>
      <Show when={connection()}>
        {(now) => (
          <p data-slot="connection" data-state={now().kind !== "nats" ? "local" : now().connected ? "connected" : "lost"} role="status">
            <Show when={now().kind === "nats"} fallback={words().connection.local}>
              <span data-slot="dot" aria-hidden="true" />
              <span dir="auto" title={now().problem || undefined}>
                {now().connected ? words().connection.connected(plain(now().server)) : words().connection.lost}
                <Show when={now().waiting > 0}>
                  <br />
                  {words().connection.waiting(now().waiting)}
                </Show>
              </span>
            </Show>
          </p>
        )}
      </Show>
    </nav>
  );
}

function Place(props: { model: RoomsModel; room: Room }): JSX.Element {
  const words = () => text().rooms;
  const name = () => roomName(props.room, props.model.me());
  // The visible text comes first.
  const news = () => [props.room.unreadMentions > 0 ? words().mentions(props.room.unreadMentions) : "", props.room.unread > 0 ? words().unread(props.room.unread) : ""].filter(Boolean).join(", ");
  const here = () => !props.model.creating() && props.model.current()?.id === props.room.id;
  return (
    <li>
      <button
        type="button"
        data-slot="place"
        data-unread={props.room.unread > 0 || undefined}
        aria-current={here() ? "page" : undefined}
        aria-label={[name(), news(), props.room.pinned ? words().pinned : ""].filter(Boolean).join(", ")}
        onClick={() => props.model.show(props.room.id)}
      >
        <Show when={props.room.kind === "direct"} fallback={<Hash size={15} aria-hidden="true" />}>
          <MessagesSquare size={15} aria-hidden="true" />
        </Show>
        <span data-slot="name">
          <bdi>{props.room.kind === "direct" ? name() : name().slice(1)}</bdi>
        </span>
        <Show when={props.room.pinned && props.room.unread === 0}>
          <Pin data-slot="pinned" size={12} aria-hidden="true" />
        </Show>
        <Show when={props.room.unread > 0}>
          {" "}
          <span data-slot="count" data-me={props.room.unreadMentions > 0 || undefined}>
            {props.room.unreadMentions > 0 ? `@${number(props.room.unreadMentions)}` : props.room.unread >= 1000 ? `${number(999)}+` : number(props.room.unread)}
          </span>
        </Show>
      </button>
    </li>
  );
}
