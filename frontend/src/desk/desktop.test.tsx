import { expect, onTestFinished, test, vi } from "vitest";
import type { GlobalEvent, NoticeOpened } from "../host/border.gen";
import { createFakeHost } from "../host/fake";
import { type App, useApp } from "../store/context";
import { renderApp } from "../test/render";
import { followDesk } from "./desktop";

const nothing = { sessionId: "", roomId: "", heartbeat: "" };

/** Follows the desk of a page in the app window or a browser. */
async function follow(kind: string) {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "notification.setPresence": () => ({}),
  });
  Object.assign(host, { kind });
  const app: App = await renderApp(host, () => <Follow />);
  const open = vi.spyOn(app.actions, "open").mockImplementation(() => {});
  return { app, host, open };
}

const begins = vi.fn<(folder: string) => void>();

function Follow() {
  followDesk(useApp(), () => 0, begins);
  return null;
}

const clicked = (payload: Partial<NoticeOpened>): GlobalEvent => ({ event: "notice.opened", payload: { ...nothing, ...payload } as never });

test("a click on a note leads to what it is about", async () => {
  const { app, host, open } = await follow("window");
  host.emitGlobal(clicked({ roomId: "r1" }));
  expect(app.layout.at("rooms")).toEqual({ kind: "rooms", name: "r1" });
  host.emitGlobal(clicked({ heartbeat: "nightly" }));
  expect(app.layout.at("heartbeats")).toEqual({ kind: "heartbeats", tab: "history", name: "nightly" });
  host.emitGlobal(clicked({ sessionId: "s1" }));
  expect(open.mock.calls).toEqual([["s1"]]);
});

test("a folder is chosen, and of a link that leads nowhere it is shown why", async () => {
  const { app, host, open } = await follow("window");
  const report = vi.spyOn(app.actions, "report").mockImplementation(() => {});
  host.emitGlobal(clicked({ folder: "/work/shop" }));
  expect(begins.mock.calls).toEqual([["/work/shop"]]);
  host.emitGlobal(clicked({ failure: "There is no session x." }));
  expect(report.mock.calls[0]?.[0]).toMatchObject({ code: "not_found", message: "There is no session x." });
  expect(open).not.toHaveBeenCalled();
});

test("a page in a browser has clicks of its own", async () => {
  const made: { tag?: string; onclick?: () => void }[] = [];
  class Note {
    static permission = "granted";
    onclick?: () => void;
    tag?: string;
    constructor(_title: string, { tag }: { tag?: string }) {
      Object.assign(this, { tag });
      made.push(this);
    }
    close(): void {}
  }
  vi.stubGlobal("Notification", Note);
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  vi.spyOn(window, "focus").mockImplementation(() => {});
  const { app, host, open } = await follow("fake");
  host.emitGlobal(clicked({ roomId: "r1" }));
  expect(app.layout.active()).toBeNull();
  const told = (payload: object) => host.emitGlobal({ event: "notice.shown", payload: { kind: "failed", title: "Nightly", ...payload } as never });
  told({ sessionId: "", heartbeat: "nightly" });
  told({ sessionId: "", heartbeat: "weekly" });
  told({ sessionId: "s1", heartbeat: "nightly" });
  told({ sessionId: "", kind: "message", text: "Look at the terminal." });
  expect(new Set(made.map(({ tag }) => tag)).size).toBe(4);
  made[0]?.onclick?.();
  expect(app.layout.at("heartbeats")).toEqual({ kind: "heartbeats", tab: "history", name: "nightly" });
  made[2]?.onclick?.();
  expect(open.mock.calls).toEqual([["s1"]]);
  app.layout.close("place:heartbeats");
  made[3]?.onclick?.();
  expect(app.layout.active()).toBeNull();
});
