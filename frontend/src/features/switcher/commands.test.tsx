import { expect, it, onTestFinished, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import { createFakeHost } from "../../host/fake";
import { renderApp } from "../../test/render";
import { createSidebarModel } from "../sessions/model";
import { keyedActions, keysOf } from "../../desk/shortcuts";
import { createActions, createCommands } from "./commands";
import { createSwitcherModel } from "./model";

const nothing = () => {};

/** All actions for an idle session. */
async function registry(run: Partial<Record<"showSettings", (where?: string) => void>> = {}) {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [session("a", { title: "Retry the upload", cwd: "/home/ada/it's mine", messages: 4, cliSessionId: "1f0c", pid: 7 })], total: 1 }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "session.prompt": () => ({ turnId: "t" }),
  });
  const app = await renderApp(host, () => null);
  app.actions.open("a");
  await vi.waitFor(() => expect(app.state.current).toBe("a"));
  const model = createSidebarModel(app);
  const actions = createActions(app, model, {
    newSession: nothing, newHere: nothing, toggleSidebar: nothing, showShortcuts: nothing, showSwitcher: nothing, showSettings: nothing, neighbour: nothing, interrupt: nothing, ...run,
  });
  return { host, app, model, actions, commands: createCommands(app, actions, run.showSettings ?? nothing) };
}

it("every action has keys, but for what chooses one of several", async () => {
  const actions = (await registry()).actions();
  expect(actions.map(({ id }) => id)).toContain("delete");
  for (const kind of ["window", "browser"]) {
    const without = actions.filter(({ id }) => keysOf(id, kind).length === 0).map(({ id }) => id);
    expect(without.filter((id) => !/^(?:theme|scheme|language)\./.test(id))).toEqual([]);
  }
});

it("no two actions have the same keys", () => {
  for (const kind of ["window", "browser"]) {
    const all = keyedActions.flatMap((id) => keysOf(id, kind));
    expect(all.filter((keys, i) => all.indexOf(keys) !== i)).toEqual([]);
  }
});

it("the palette finds every command by its name and by each other word for it", async () => {
  const { app, commands } = await registry();
  const all = commands();
  expect(all.filter(({ also }) => also === "").map(({ id }) => id)).toEqual([]);
  const palette = createSwitcherModel(app, commands);
  const finds = (typed: string) => {
    palette.setText(typed);
    return palette.matches().map(({ target }) => target.id);
  };
  const missed = all.flatMap(({ id, name, also }) => {
    // Aliases apply to a whole kind: it is enough that one of the kind is found.
    const kind = (/^c:(?:theme|scheme|language|setting)\./.exec(id) ?? [id])[0];
    const words = also.split(", ").filter((word) => !finds(word).some((found) => found.startsWith(kind)));
    return [...(finds(name)[0] === id ? [] : [name]), ...words.map((word) => `${id}: ${word}`)];
  });
  expect(missed).toEqual([]);
});

it("does what the session's menu does not have keys for", async () => {
  const { host, model, commands } = await registry();
  const written = vi.fn(() => Promise.resolve());
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: written } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const run = (id: string) => commands().find((command) => command.id === `c:${id}`)?.run();
  run("copyPath");
  run("copyResume");
  expect(written.mock.calls).toEqual([["/home/ada/it's mine"], ["cd '/home/ada/it'\\''s mine' && claude --resume 1f0c"]]);
  run("compact");
  expect(host.callsOf("session.prompt")).toEqual([expect.objectContaining({ sessionId: "a", text: "/compact" })]);
  run("rename");
  expect(model.renaming()).toMatch(/^s:.*:a$/);
  run("fresh");
  expect(model.question()).toEqual({ kind: "fresh", sessionId: "a" });
});

it("shows one setting", async () => {
  const showSettings = vi.fn();
  const { commands } = await registry({ showSettings });
  commands().find(({ name }) => name === "Setting: Theme")?.run();
  expect(showSettings).toHaveBeenCalledWith("theme");
});
