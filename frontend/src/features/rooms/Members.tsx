import MicOff from "lucide-solid/icons/mic-off";
import X from "lucide-solid/icons/x";
import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import type { Room, RoomMember } from "../../host/border.gen";
import { text } from "../../i18n";
import { Button } from "../../ui/button";
import { IconButton } from "../../ui/icon-button";
import { AddSession } from "./AddSession";
import type { RoomsModel } from "./model";
import { memberState, momentWords, plain } from "./words";

/** The members of the room and their state. */
export function Members(props: { model: RoomsModel; room: Room }): JSX.Element {
  const words = () => text().rooms.members;
  const ids = () => props.room.members.map((m) => m.id);
  const member = (id: string) => props.room.members.find((m) => m.id === id);
  return (
    <aside data-slot="side" data-kind="members" aria-label={words().title}>
      <header data-slot="side-head">
        <h4>{words().title}</h4>
        <IconButton label={text().common.close} onClick={() => props.model.setSide(null)}>
          <X size={15} />
        </IconButton>
      </header>
      <div data-slot="side-body">
        <Show when={ids().length > 0} fallback={<p data-slot="aside">{words().none}</p>}>
          <ul role="list" data-slot="members">
            <For each={ids()}>{(id) => <Show when={member(id)}>{(one) => <MemberRow model={props.model} room={props.room} member={one()} />}</Show>}</For>
          </ul>
        </Show>
        <Show when={props.room.kind !== "direct"}>
          <AddSession model={props.model} room={props.room} />
          <Show when={props.room.barred.length > 0}>
            <section>
              <h5>{words().barred}</h5>
              <ul role="list" data-slot="barred">
                <For each={props.room.barred}>
                  {(one) => (
                    <li>
                      <bdi>{plain(one.nick)}</bdi>
                      <Button size="small" variant="ghost" data-edge="end" aria-label={`${words().admit}: ${plain(one.nick)}`} onClick={() => void props.model.admit(one)}>
                        {words().admit}
                      </Button>
                    </li>
                  )}
                </For>
              </ul>
            </section>
          </Show>
        </Show>
      </div>
    </aside>
  );
}

function MemberRow(props: { model: RoomsModel; room: Room; member: RoomMember }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  const words = () => text().rooms.members;
  const one = () => props.member;
  const mine = () => one().id === props.model.me();
  const state = () => [mine() ? words().you : memberState(one()), one().muted ? words().muted : "", one().here ? "" : text().rooms.message.on(plain(one().host))].filter(Boolean).join(" · ");
  return (
    <li>
      <button type="button" data-slot="member" aria-expanded={open()} aria-controls={open() ? id : undefined} onClick={() => setOpen(!open())}>
        <span data-slot="dot" data-state={one().state} aria-hidden="true" />
        <span data-slot="who">
          <bdi data-slot="nick">{plain(one().nick)}</bdi>
          <span data-slot="state">{state()}</span>
        </span>
        <Show when={one().muted}>
          <MicOff size={14} aria-hidden="true" />
        </Show>
      </button>
      <Show when={open()}>
        <div id={id} data-slot="details">
          <Show when={one().kind === "session"}>
            <p dir="auto">{plain(one().title) || words().untitled}</p>
          </Show>
          <p data-slot="aside">{words().joined(momentWords(one().joinedAt))}</p>
          <Show when={!mine()}>
            <p data-slot="aside">{one().unread > 0 ? words().unread(one().unread) : words().caughtUp}</p>
          </Show>
          <Show when={one().kind === "session"}>
            <label data-slot="wake">
              <span>{words().wake}</span>
              <select data-component="text-field" onChange={(event) => void props.model.wake(one(), event.currentTarget.value)}>
                <For each={["", "off", "mention", "any"] as const}>
                  {(wake) => (
                    <option value={wake} selected={one().wake === wake}>
                      {wake === "" ? words().wakeRoom : text().rooms.rules.wakes[wake]}
                    </option>
                  )}
                </For>
              </select>
            </label>
          </Show>
          <div data-slot="actions">
            <Show when={one().here && one().sessionId}>
              <Button size="small" onClick={() => props.model.openSession(one().sessionId)}>
                {words().open}
              </Button>
              <Show when={props.room.kind !== "direct"}>
                <Button size="small" onClick={() => void props.model.direct(one().sessionId)}>
                  {words().direct}
                </Button>
              </Show>
            </Show>
            <Show when={!mine()}>
              <Button size="small" aria-pressed={one().muted} onClick={() => void props.model.mute(one(), !one().muted)}>
                {one().muted ? words().unmute : words().mute}
              </Button>
              <Show when={props.room.kind !== "direct"}>
                <Button size="small" variant="ghost" data-edge="start" data-danger="" onClick={() => props.model.ask({ kind: "kick", member: one() })}>
                  {words().kick}
                </Button>
              </Show>
            </Show>
          </div>
        </div>
      </Show>
    </li>
  );
}
