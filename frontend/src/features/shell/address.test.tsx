import { cleanup } from "@solidjs/testing-library";
import { afterEach, expect, test, vi } from "vitest";
import { session, workspace } from "../../../gallery/fixtures";
import { createFakeHost, type FakeHost } from "../../host/fake";
import type { RoomList } from "../../host/border.gen";
import { HostError } from "../../host/host";
import { placeKinds } from "../../store/arrangement";
import { renderApp } from "../../test/render";
import { followAddress, pathOf, placeAt } from "./address";

afterEach(() => {
  cleanup();
  history.replaceState(null, "", "/");
});

test.each([
  ["/", null],
  ["/session/", null],
  ["/session/s1", { kind: "session", id: "s1" }],
  ["/session/s1/", { kind: "session", id: "s1" }],
  ["/workspace/w1", { kind: "workspace", id: "w1" }],
  ["/session/a%2Fb%3Cc%3E", { kind: "session", id: "a/b<c>" }],
  ["/session/a/b", null],
  ["/session/%E0%A4%A", null],
  [`/session/${"x".repeat(300)}`, null],
  ["//session/s1", null],
  ["/other/s1", null],
  ["/other", null],
  ["/session", null],
  ["/heartbeats", { kind: "heartbeats" }],
  ["/memory/", { kind: "memory" }],
  ["/rooms/build%20team", { kind: "rooms", part: "build team" }],
  ["/settings/guard", { kind: "settings", part: "guard" }],
  ["/settings/guard/more", null],
  ["/rooms/%E0%A4%A", null],
])("the address %s", (path, want) => {
  expect(placeAt(path)).toEqual(want);
});

test.each(["s1", "a/b<c>", "ä b", "..", "%2e"])("the session %s has an address of its own", (id) => {
  expect(placeAt(pathOf({ kind: "session", id }))).toEqual({ kind: "session", id });
});

test.each([...placeKinds])("the place %s has an address of its own", (kind) => {
  expect(placeAt(pathOf({ kind }))).toEqual({ kind });
  expect(placeAt(pathOf({ kind, part: "a/ä b" }))).toEqual({ kind, part: "a/ä b" });
});

function host(): FakeHost {
  const deep = session("deep", { title: "Far down" });
  const fake = createFakeHost({
    "session.list": ({ workspaceId }) => ({ sessions: workspaceId === undefined ? [session("s1"), session("s2")] : workspaceId === "w1" ? [session("s2")] : [], total: 2 }),
    "session.get": ({ sessionId }) => {
      if (sessionId !== "deep") throw new HostError("not_found", "There is no session.");
      return deep;
    },
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [workspace("w1", "/home/ada/a"), workspace("w2", "/home/ada/b")] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "room.list": () => ({ rooms: [{ id: "r1", name: "build" }] }) as RoomList,
  });
  return Object.assign(fake, { kind: "gateway" as const });
}

async function at(path: string) {
  history.replaceState(null, "", path);
  const newSession = vi.fn();
  const app = await renderApp(host(), (shown) => {
    followAddress(shown, newSession);
    return null;
  });
  return { app, newSession };
}

const goesTo = (path: string) => vi.waitFor(() => expect(location.pathname).toBe(path));

test("a session is opened, also one that is on no list", async () => {
  for (const id of ["s2", "deep"]) {
    const { app } = await at(`/session/${id}`);
    await vi.waitFor(() => expect(app.state.current).toBe(id));
    expect(location.pathname).toBe(`/session/${id}`);
    cleanup();
  }
});

test("one that does not exist keeps its place, where that is shown", async () => {
  const { app } = await at("/session/nobody");
  await vi.waitFor(() => expect(app.state.current).toBe("nobody"));
  expect(app.state.sessions["nobody"]).toBeUndefined();
  expect(app.state.problem).toBeNull();
  expect(location.pathname).toBe("/session/nobody");
});

test("the address follows what is open; back and forward go there", async () => {
  const { app } = await at("/anything?x=1");
  await goesTo("/");
  const before = history.length;
  app.actions.open("s1");
  await goesTo("/session/s1");
  app.actions.open("s2");
  await goesTo("/session/s2");
  app.actions.open("s2");
  expect(history.length).toBe(before + 2);
  history.back();
  await vi.waitFor(() => expect(app.state.current).toBe("s1"));
  history.back();
  await vi.waitFor(() => expect(app.state.current).toBeNull());
  history.forward();
  await vi.waitFor(() => expect(app.state.current).toBe("s1"));
  await goesTo("/session/s1");
  expect(history.length).toBe(before + 2);
});

test("a folder is where its newest session is; without one, one can be begun", async () => {
  const first = await at("/workspace/w1");
  await vi.waitFor(() => expect(first.app.state.current).toBe("s2"));
  await goesTo("/session/s2");
  cleanup();
  const second = await at("/workspace/w2");
  await vi.waitFor(() => expect(second.newSession).toHaveBeenCalledWith("/home/ada/b"));
  cleanup();
  const third = await at("/workspace/nobody");
  await vi.waitFor(() => expect(third.app.state.problem?.message).toMatch(/No workspace at this address/));
  await goesTo("/");
});

test("a place is opened, with what is shown of it", async () => {
  for (const [path, kind, shown] of [
    ["/memory", "memory", { kind: "memory" }],
    ["/settings/guard", "settings", { kind: "settings", tab: "guard" }],
    ["/rooms/r1", "rooms", { kind: "rooms", name: "r1" }],
    ["/rooms/gone", "rooms", { kind: "rooms", name: "gone" }],
  ] as const) {
    const { app } = await at(path);
    await vi.waitFor(() => expect(app.layout.at(kind)).toEqual(shown));
    expect(app.layout.shows(kind)).toBe(true);
    expect(location.pathname).toBe(path);
    cleanup();
  }
  const { app } = await at("/rooms/build");
  await goesTo("/rooms/r1");
  expect(app.layout.at("rooms")).toEqual({ kind: "rooms", name: "r1" });
});

test("the address follows from a session to a place and back", async () => {
  const { app } = await at("/session/s1");
  await vi.waitFor(() => expect(app.state.current).toBe("s1"));
  app.layout.go({ kind: "heartbeats" });
  await goesTo("/heartbeats");
  app.layout.go({ kind: "settings", tab: "guard" });
  await goesTo("/settings/guard");
  history.back();
  await vi.waitFor(() => expect(app.layout.shows("heartbeats")).toBe(true));
  await goesTo("/heartbeats");
  history.back();
  await vi.waitFor(() => expect(app.state.current).toBe("s1"));
});
