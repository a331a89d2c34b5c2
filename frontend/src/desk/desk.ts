// What is around the page: who is looking, notifications, the badge, and what was
// changed by hand.

import { createEffect, createSignal, onCleanup, untrack } from "solid-js";
import { text } from "../i18n";
import type { NoticeOpened, NoticeShown, StyleSheet } from "../host/border.gen";
import { HostError } from "../host/host";
import type { App } from "../store/context";
import { type OwnStyles, readOwnStyles, showOwnStyles } from "./own-styles";

const [ownStyles, setOwnStyles] = createSignal<{ file: StyleSheet; read: OwnStyles } | null>(null);

/** The user's own style sheet, and what was taken from it; null until it has been read. */
export { ownStyles };

/** Puts the user's own colours on the page. */
async function readStyles(app: App): Promise<void> {
  try {
    const file = await app.host.call("style.get", {});
    const read = readOwnStyles(file.css);
    setOwnStyles({ file, read });
    showOwnStyles(read.css);
  } catch {
    // The page stays as it looks. What is wrong with the file, the settings say.
  }
}

/** A notification's words by its kind; those of a model are its own. */
function bodyOf({ kind, text: said }: NoticeShown): string {
  const words = text().desk.notices;
  if (kind === "message" || kind === "problem") return said ?? "";
  return kind === "question" || kind === "plan" || kind === "failed" || kind === "found" || kind === "stopped" ? words[kind] : words.done;
}

/** Whether this page shows notifications itself: a window's are the program's. */
export const hasNotifications = (kind: string): boolean => kind !== "window" && "Notification" in globalThis;

/** Follows what happens around the page until the owner is disposed of. */
export function followDesk(app: App, waiting: () => number, newSession: (folder: string) => void): void {
  const { host, actions, layout, state } = app;
  const stop = new AbortController();
  /** The notifications of this page, by what they are about: a session, or a heartbeat that has none. */
  const shown = new Map<string, Notification>();

  function withdraw(sessionId: string): void {
    shown.get(sessionId)?.close();
    shown.delete(sessionId);
  }

  /** What became of a heartbeat that did not get as far as a session stands in its history. */
  function go({ sessionId, roomId, heartbeat, folder, failure }: Pick<NoticeOpened, "sessionId"> & Partial<NoticeOpened>): void {
    if (sessionId !== "") actions.open(sessionId);
    else if (roomId) layout.go({ kind: "rooms", name: roomId });
    else if (heartbeat) layout.go({ kind: "heartbeats", tab: "history", name: heartbeat });
    else if (folder) newSession(folder);
    else if (failure) actions.report(new HostError("not_found", failure));
  }

  function show(notice: NoticeShown): void {
    const { sessionId, heartbeat, problem, title } = notice;
    const key = sessionId || (heartbeat ? `heartbeat:${heartbeat}` : problem ? `problem:${problem}` : "");
    if (!hasNotifications(host.kind) || Notification.permission !== "granted" || document.hasFocus()) return;
    try {
      // The tag puts it in place of the one before.
      const note = new Notification(title || text().desk.notices.untitled, { body: bodyOf(notice), tag: `parley-${key}` });
      note.onclick = () => {
        window.focus();
        go(notice); // a terminal's is of no place here
        note.close();
      };
      // Putting it away is no answer to anything.
      note.onclose = () => shown.get(key) === note && shown.delete(key);
      shown.set(key, note);
    } catch {
      // Some browsers show them from service workers only.
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
          // In this program's own window only: other pages have clicks of their own.
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
    const tell = () => void host.call("notice.presence", { focused: focused(), sessions: [...sessions] }).catch(() => {});
    tell();
    if (host.kind === "window" || !focused()) return;
    // A page in a browser may go without a word, so that what it says does not count for long.
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
