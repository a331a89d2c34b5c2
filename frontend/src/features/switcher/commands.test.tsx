import { expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import { createFakeHost } from "../../host/fake";
import { renderApp } from "../../test/render";
import type { SidebarModel } from "../sessions/model";
import { keysOf } from "../shell/shortcuts";
import { createActions } from "./commands";

const nothing = () => {};

it("every action has keys, but for what chooses one of several", async () => {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [session("a", {})], total: 1 }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
  });
  const app = await renderApp(host, () => null);
  app.actions.open("a");
  await vi.waitFor(() => expect(app.state.current).toBe("a"));
  const model = { grouping: () => "workspace", setGrouping: nothing, show: nothing, setQuestion: nothing } as unknown as SidebarModel;
  const actions = createActions(app, model, {
    newSession: nothing, newHere: nothing, toggleSidebar: nothing, showShortcuts: nothing, showSwitcher: nothing, showSettings: nothing, neighbour: nothing, interrupt: nothing,
  })();
  expect(actions.map(({ id }) => id)).toContain("delete");
  for (const kind of ["window", "browser"]) {
    const without = actions.filter(({ id }) => keysOf(id, kind).length === 0).map(({ id }) => id);
    expect(without.filter((id) => !/^(?:theme|scheme|language)\./.test(id))).toEqual([]);
  }
});
