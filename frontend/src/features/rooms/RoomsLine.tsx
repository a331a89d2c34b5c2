import MessagesSquare from "lucide-solid/icons/messages-square";
import type { JSX } from "solid-js";
import { text } from "../../i18n";
import { useApp } from "../../store/context";
import { PageLine, type PageLineProps } from "../../ui/page-line";
import { createRooms } from "./list";

/** The link to the rooms, with their unread state. */
export function RoomsLine(): JSX.Element {
  const { layout } = useApp();
  const rooms = createRooms();
  const words = () => text().rooms;
  const list = () => rooms.answer()?.rooms ?? [];
  const unread = () => list().reduce((sum, room) => sum + room.unread, 0);
  const mentions = () => list().reduce((sum, room) => sum + room.unreadMentions, 0);
  const connection = () => rooms.answer()?.connection;
  const lost = () => connection()?.kind === "nats" && !connection()?.connected;

  /** The most important state. */
  const state = (): Pick<PageLineProps, "about" | "tone"> => {
    if (mentions() > 0) return { about: words().mentions(mentions()), tone: "accent" };
    if (lost()) return { about: words().line.offline, tone: "warning" };
    return unread() > 0 ? { about: words().line.unread(unread()), tone: "strong" } : { about: "" };
  };
  return (
    <PageLine
      kind="rooms"
      icon={<MessagesSquare size={14} aria-hidden="true" />}
      name={words().title}
      about={state().about}
      tone={state().tone}
      onOpen={() => layout.go({ kind: "rooms" })}
    />
  );
}
