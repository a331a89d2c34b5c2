import X from "lucide-solid/icons/x";
import { createEffect, type JSX, on } from "solid-js";
import type { Room } from "../../host/border.gen";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { IconButton } from "../../ui/icon-button";
import { createConversation } from "./conversation";
import { MessageList } from "./MessageList";
import type { RoomsModel } from "./model";
import { SayBox } from "./SayBox";

/** A message and its replies, beside the room. */
export function Thread(props: { model: RoomsModel; room: Room; seq: number; write: boolean; onClose: () => void }): JSX.Element {
  const { host } = useApp();
  const words = () => text().rooms.thread;
  const seq = props.seq;
  const conversation = createConversation(host, props.room.id, seq);

  createEffect(on(() => host.status().kind, (link) => link === "open" && void conversation.newest()));
  return (
    <aside
      data-slot="side"
      data-kind="thread"
      aria-label={words().title}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        event.stopPropagation();
        props.onClose();
      }}
    >
      <header data-slot="side-head">
        <h4>{words().title}</h4>
        <IconButton label={text().common.close} onClick={() => props.onClose()}>
          <X size={15} />
        </IconButton>
      </header>
      <MessageList model={props.model} room={props.room} conversation={conversation} label={words().label} readBefore={0} inThread onThread={() => {}} />
      <SayBox model={props.model} room={props.room} conversation={conversation} replyTo={seq} focused={props.write} />
    </aside>
  );
}
