import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { info, library, session, workspace } from "../../gallery/fixtures";
import type { Session } from "../host/border.gen";
import { createFakeHost, type FakeHost } from "../host/fake";
import { HostError } from "../host/host";
import { listPage } from "./catalogue";
import { createApp } from "./create";

let host: FakeHost;
let sessions: Session[];
let app: ReturnType<typeof createApp>;

beforeEach(() => {
  localStorage.clear();
  sessions = Array.from({ length: 2 * listPage + 50 }, (_, i) => session(`s${i}`, { lastActivityAt: 10_000 - i }));
  host = createFakeHost({
    "app.info": () => info(),
    "session.list": ({ limit = 0, offset = 0, archived }) => {
      const list = archived ? [session("put", { archivedAt: 1 })] : sessions;
      return { sessions: list.slice(offset, offset + limit), total: list.length };
    },
    "session.get": ({ sessionId }) => {
      const found = sessions.find((s) => s.id === sessionId);
      if (!found) throw new HostError("not_found", "There is no such session.");
      return found;
    },
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [workspace("w", "/w")] }),
    "library.status": () => library({ onDisk: 3 }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
  });
});
afterEach(() => app.dispose());

async function start(): Promise<void> {
  app = createApp(host, { schedule: (flush) => flush() });
  await vi.waitFor(() => expect(app.state.loaded).toBe(true));
}
const listed = () => app.listing.of("list").length;
const ready = () => vi.waitFor(() => expect(app.state.lists.list.load).toBe("ready"));

it("shows the newest at once and reads the rest page by page", async () => {
  let go!: () => void;
  const gate = new Promise<void>((resolve) => (go = resolve));
  host.on("session.list", async ({ limit = 0, offset = 0 }) => {
    if (offset > 0) await gate;
    return { sessions: sessions.slice(offset, offset + limit), total: sessions.length };
  });
  await start();
  expect(listed()).toBe(listPage);
  expect(app.state.lists.list).toMatchObject({ load: "reading", total: sessions.length });
  go();
  await ready();
  expect(listed()).toBe(sessions.length);
  expect(host.callsOf("session.list").map((p) => p.offset ?? 0)).toEqual([0, listPage, 2 * listPage]);
});

it("reads again when what went away hid one at the border of two pages", async () => {
  const read = host.callsOf.bind(host, "session.list");
  host.on("session.list", ({ limit = 0, offset = 0 }) => {
    if (read().length === 2) {
      sessions = sessions.filter((s) => s.id !== "s3");
      host.emitGlobal({ event: "sessions.changed", payload: { changed: [], removed: ["s3"] } });
    }
    return { sessions: sessions.slice(offset, offset + limit), total: sessions.length };
  });
  await start();
  await ready();
  expect(app.listing.get(`s${listPage}`)).toBeDefined();
  expect(app.listing.get("s3")).toBeUndefined();
});

it("forgets after a lost link what is no longer there", async () => {
  await start();
  await ready();
  host.setStatus({ kind: "closed", reason: "", retryAt: null });
  sessions = sessions.slice(10);
  host.setStatus({ kind: "open" });
  await vi.waitFor(() => expect(listed()).toBe(sessions.length));
  expect(app.state.sessions["s0"]).toBeUndefined();
});

it("says why the rest could not be read, and continues when asked", async () => {
  let broken = true;
  host.on("session.list", ({ limit = 0, offset = 0 }) => {
    if (broken && offset > 0) throw new HostError("internal", "It broke.");
    return { sessions: sessions.slice(offset, offset + limit), total: sessions.length };
  });
  await start();
  await vi.waitFor(() => expect(app.state.lists.list).toMatchObject({ load: "failed", error: "It broke." }));
  expect(app.state.problem).toBeNull();
  broken = false;
  await app.actions.readList("list");
  expect(listed()).toBe(sessions.length);
});

it("reads the archive when the user looks at it", async () => {
  await start();
  expect(host.callsOf("session.list").some((p) => p.archived)).toBe(false);
  await app.actions.readList("archive");
  expect(app.listing.of("archive").map((entry) => entry.id)).toEqual(["put"]);
});

it("reads the workspaces again when they changed, once for many changes", async () => {
  await start();
  await vi.waitFor(() => expect(app.state.workspaceOrder).toEqual(["w"]));
  await ready();
  const before = host.callsOf("workspace.list").length;
  for (let i = 0; i < 5; i++) host.emitGlobal({ event: "workspaces.changed", payload: {} });
  await vi.waitFor(() => expect(host.callsOf("workspace.list").length).toBeGreaterThan(before));
  expect(host.callsOf("workspace.list").length - before).toBeLessThanOrEqual(2);
});

it("asks for a workspace that it has not heard of, once", async () => {
  await start();
  await ready();
  const asked = () => host.callsOf("workspace.list").length;
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(0));
  const before = asked();
  const one = session("n1", { workspaceId: "off the list" });
  host.emitGlobal({ event: "sessions.changed", payload: { changed: [one], removed: [] } });
  await vi.waitFor(() => expect(asked()).toBe(before + 1));
  host.emitGlobal({ event: "sessions.changed", payload: { changed: [{ ...one, id: "n2" }], removed: [] } });
  await Promise.resolve();
  expect(asked()).toBe(before + 1);
});

it("follows how far reading has come", async () => {
  await start();
  await vi.waitFor(() => expect(app.state.library?.onDisk).toBe(3));
  host.emitGlobal({ event: "library.progress", payload: { library: library({ onDisk: 9, scanning: true }) } });
  expect(app.state.library).toMatchObject({ onDisk: 9, scanning: true });
});
