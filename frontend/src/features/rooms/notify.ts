// Notifies a user who is not looking about mentions in rooms. Browser pages do this themselves.

import { onCleanup } from "solid-js";
import { text } from "../../i18n";
import { isQuiet } from "../../lib/quiet";
import type { App } from "../../store/context";
import { hasNotifications } from "../../desk/desktop";
import { excerpt, plain } from "./words";

/** Follows messages until the owner is disposed of. */
export function followMentions(app: App, open: () => boolean): void {
  const { host, layout, state } = app;
  /** The notification of each room, replaced by newer ones. */
  const shown = new Map<string, Notification>();
  onCleanup(
    host.onGlobal((event) => {
      if (event.event !== "room.message" || !event.payload.forPerson || event.payload.message.waiting) return;
      const { message } = event.payload;
      if (document.hasFocus() || !hasNotifications(host.kind) || Notification.permission !== "granted") return;
      if (isQuiet(state.info?.settings.doNotDisturbUntil ?? 0)) return;
      try {
        const note = new Notification(text().rooms.notice(plain(message.from.nick)), { body: excerpt(message, 200), tag: `parley-room-${message.roomId}` });
        note.onclick = () => {
          window.focus();
          layout.go({ kind: "rooms", name: message.roomId });
          note.close();
        };
        note.onclose = () => shown.get(message.roomId) === note && shown.delete(message.roomId);
        shown.set(message.roomId, note);
      } catch {
        // Some browsers only allow notifications from service workers.
      }
    }),
  );
  const withdraw = () => {
    if (!open()) return;
    for (const note of shown.values()) note.close();
    shown.clear();
  };
  window.addEventListener("focus", withdraw);
  onCleanup(() => {
    window.removeEventListener("focus", withdraw);
    for (const note of shown.values()) note.close();
  });
}
