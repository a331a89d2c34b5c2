// Everything around the page: presence, notifications, the badge, and manual changes.

import { createEffect, createSignal, onCleanup, untrack } from "solid-js";
import { text } from "../i18n";
import type { NoticeOpened, NotificationShown, StyleSheet } from "../host/border.gen";
import { HostError } from "../host/host";
import type { App } from "../store/context";
import { type OwnStyles, readOwnStyles, showOwnStyles } from "./own-styles";

const [ownStyles, setOwnStyles] = createSignal<{ file: StyleSheet; read: OwnStyles } | null>(null);

/** The user's style sheet and the values taken from it; null until it is read. */
export { ownStyles };

/** Applies the user's colors to the page. */
async function readStyles(app: App): Promise<void> {
  try {
    const file = await app.host.call("style.get", {});
    const read = readOwnStyles(file.css);
    setOwnStyles({ file, read });
    showOwnStyles(read.css);
  } catch {
    // The page keeps its look. The settings show what is wrong with the file.
  }
}

/** A notification's body by its kind; text from a model is shown as it is. */
function bodyOf({ kind, text: said }: NotificationShown): string {
  const words = text().desk.notices;
  if (kind === "message" || kind === "problem") return said ?? "";
  return kind === "question" || kind === "plan" || kind === "failed" || kind === "found" || kind === "stopped" ? words[kind] : words.done;
}

/** Whether this page shows notifications itself; in the app window, the program shows them. */
export const hasNotifications = (kind: string): boolean => kind !== "window" && "Notification" in globalThis;

/** Follows events around the page until the owner is disposed of. */
export function followDesk(app: App, waiting: () => number, newSession: (folder: string) => void): void {
  const { host, actions, layout, state } = app;
  const stop = new AbortController();
  /** The notifications of this page, keyed by their subject: a session, or a heartbeat without one. */
  const shown = new Map<string, Notification>();

  function withdraw(sessionId: string): void {
    shown.get(sessionId)?.close();
    shown.delete(sessionId);
  }

  /** A heartbeat that failed before it had a session is shown in its history. */
  function go({ sessionId, roomId, heartbeat, folder, failure }: Pick<NoticeOpened, "sessionId"> & Partial<NoticeOpened>): void {
    if (sessionId !== "") actions.open(sessionId);
    else if (roomId) layout.go({ kind: "rooms", name: roomId });
    else if (heartbeat) layout.go({ kind: "heartbeats", tab: "history", name: heartbeat });
    else if (folder) newSession(folder);
    else if (failure) actions.report(new HostError("not_found", failure));
  }

  function show(notice: NotificationShown): void {
    const { sessionId, heartbeat, problem, title } = notice;
    const key = sessionId || (heartbeat ? `heartbeat:${heartbeat}` : problem ? `problem:${problem}` : "");
    if (!hasNotifications(host.kind) || Notification.permission !== "granted" || document.hasFocus()) return;
    try {
      // The tag makes it replace the previous one.
      const note = new Notification(title || text().desk.notices.untitled, { body: bodyOf(notice), tag: `parley-${key}` });
      note.onclick = () => {
        window.focus();
        go(notice); // a terminal's notification leads nowhere
        note.close();
      };
      // Closing a notification answers nothing.
      note.onclose = () => shown.get(key) === note && shown.delete(key);
      shown.set(key, note);
    } catch {
      // Some browsers only allow notifications from service workers.
    }
  }

  onCleanup(
    host.onGlobal((event) => {
      switch (event.event) {
        case "settings.changed":
          void actions.refreshInfo();
          return;
        case "styles.changed":
          void readStyles(app);
          return;
        case "notice.shown":
          show(event.payload);
          return;
        case "notice.withdrawn":
          withdraw(event.payload.sessionId || `problem:${event.payload.problem ?? ""}`);
          return;
        case "notice.opened":
          // App window only: other pages handle clicks themselves.
          if (host.kind === "window") go(event.payload);
          return;
        default:
      }
    }),
  );

  const [focused, setFocused] = createSignal(document.hasFocus());
  const look = () => setFocused(document.hasFocus());
  for (const name of ["focus", "blur"]) window.addEventListener(name, look, { signal: stop.signal });
  document.addEventListener("visibilitychange", look, { signal: stop.signal });

  createEffect(() => {
    if (host.status().kind !== "open" || !state.loaded) return;
    const sessions = state.shown.slice(0, 8);
    if (focused()) for (const id of sessions) withdraw(id);
    const tell = () => void host.call("notification.setPresence", { focused: focused(), sessions: [...sessions] }).catch(() => {});
    tell();
    if (host.kind === "window" || !focused()) return;
    // A browser page may disappear without notice, so its presence expires quickly.
    const timer = setInterval(tell, 60_000);
    onCleanup(() => clearInterval(timer));
  });
  createEffect(() => {
    if (host.status().kind === "open" && state.loaded) void untrack(() => readStyles(app));
  });
  createEffect(() => {
    const count = waiting();
    if (!("setAppBadge" in navigator)) return;
    const done = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge();
    // A page that is not installed has no badge.
    done.catch(() => {});
  });

  onCleanup(() => {
    stop.abort();
    for (const id of shown.keys()) withdraw(id);
  });
}
