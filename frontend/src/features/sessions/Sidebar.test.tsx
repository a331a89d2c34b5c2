import { fireEvent, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { library, session, workspace } from "../../../gallery/fixtures";
import type { Session } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { giveSizes } from "../../test/sizes";
import { createSidebarModel, type SidebarModel } from "./model";
import { Sidebar } from "./Sidebar";

let host: FakeHost;
let sessions: Session[];
let model: SidebarModel;
const user = userEvent.setup();
const calls = { onNew: vi.fn(), onNewHere: vi.fn(), onHide: vi.fn() };

beforeEach(() => {
  localStorage.clear();
  for (const call of Object.values(calls)) call.mockReset();
  sessions = [
    session("a", { title: "Alpha", workspaceId: "w1", lastActivityAt: 3 }),
    session("b", { title: "Beta", workspaceId: "w1", lastActivityAt: 2, origin: "cli" }),
    session("c", { title: "Gamma", workspaceId: "w2", cwd: "/home/ada/notes", lastActivityAt: 1, unread: true }),
  ];
  const find = (id: string) => sessions.find((s) => s.id === id) ?? session(id);
  host = createFakeHost({
    "session.list": ({ archived, trash }) => {
      const list = archived || trash ? [] : sessions;
      return { sessions: list, total: list.length };
    },
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({
      workspaces: [
        workspace("w1", "/home/ada/projects/parley", { branch: "main" }),
        workspace("w2", "/home/ada/notes", { folder: "gone" }),
      ],
    }),
    "library.status": () => library({ onDisk: 12, shown: 9, hidden: { empty: 3 } }),
    "session.pin": ({ sessionId, pinned }) => ({ ...find(sessionId), pinned }),
    "session.rename": ({ sessionId, title }) => ({ ...find(sessionId), title }),
    "session.archive": ({ sessionId }) => ({ ...find(sessionId), archivedAt: 5 }),
    "session.unarchive": ({ sessionId }) => ({ ...find(sessionId), archivedAt: 0 }),
    "session.delete": ({ sessionId }) => ({ ...find(sessionId), deletedAt: 5 }),
    "session.restore": ({ sessionId }) => ({ ...find(sessionId), deletedAt: 0 }),
    "session.purge": () => ({}),
    "session.markRead": () => ({}),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
  });
});

async function draw() {
  giveSizes();
  const app = await renderApp(host, (app) => {
    model = createSidebarModel(app);
    return (
      <Sidebar
        model={model}
        newShortcut="Mod+N"
        onNew={calls.onNew}
        onNewHere={calls.onNewHere}
        onHide={calls.onHide}
        menu={null}
      />
    );
  });
  await vi.waitFor(() => expect(app.state.workspaceOrder).toHaveLength(2));
  return app;
}

const nav = () => screen.getByRole("navigation", { name: "Sessions" });
/** The listed rows, from the top. */
const listed = () =>
  [...nav().querySelectorAll('[data-slot="rows"] :is(h2, [data-slot="title"])')].map((e) => e.textContent);
const row = (title: string) => within(nav()).getByText(title).closest("button")!;

async function menu(title: string, item: RegExp | string): Promise<void> {
  fireEvent.contextMenu(row(title));
  await user.click(await screen.findByRole("menuitem", { name: item }));
}

describe("the list", () => {
  it("groups by workspace, says the branch and that a folder is gone", async () => {
    await draw();
    expect(listed()).toEqual(["parley", "Alpha", "Beta", "notes", "Gamma"]);
    expect(within(nav()).getByText("main")).toBeVisible();
    expect(within(nav()).getByText("folder not found")).toBeVisible();
    expect(within(row("Gamma")).getByRole("img", { name: "Unread" })).toBeVisible();
    expect(row("Beta").title).toContain("From the terminal");
    expect(row("Alpha").title).not.toContain("terminal");
  });

  it("has the session that is open in sight, and its group short again when another is", async () => {
    sessions = Array.from({ length: 10 }, (_, i) => session(`n${i}`, { title: `Number ${i}`, workspaceId: "w1", lastActivityAt: 100 - i }));
    const app = await draw();
    expect(listed()).not.toContain("Number 9");
    app.actions.open("n9");
    await vi.waitFor(() => expect(listed().slice(0, 8)).toEqual(["parley", ...[0, 1, 2, 3, 4, 5, 9].map((i) => `Number ${i}`)]));
    expect(row("Number 9")).toHaveAttribute("aria-current");
    expect(nav().querySelector('[data-slot="rest"]')).toHaveTextContent("3");
    app.actions.open("n1");
    await vi.waitFor(() => expect(listed()).not.toContain("Number 9"));
  });

  it("is by time when a user wants that, also the next time", async () => {
    await draw();
    await user.click(screen.getByRole("button", { name: "Group by time" }));
    expect(listed().filter((name) => ["Alpha", "Beta", "Gamma"].includes(name ?? ""))).toEqual(["Alpha", "Beta", "Gamma"]);
    expect(listed()).not.toContain("parley");
    expect(JSON.parse(localStorage.getItem("parley.sidebar") ?? "")).toMatchObject({ grouping: "time" });
  });

  it("has who waits for a user at the top, as soon as they do", async () => {
    await draw();
    host.emitGlobal({
      event: "sessions.changed",
      payload: { changed: [{ ...sessions[2]!, openQuestions: 1, state: "waiting" }], removed: [] },
    });
    expect(listed().slice(0, 3)).toEqual(["Waiting for you", "Gamma", "parley"]);
  });

  it("filters at once, and says when nothing is left", async () => {
    await draw();
    await user.type(screen.getByRole("searchbox"), "bet");
    expect(listed()).toEqual(["parley", "Beta"]);
    await user.type(screen.getByRole("searchbox"), "xx");
    expect(nav()).toHaveTextContent("No session matches “betxx”.");
    await user.click(screen.getByRole("button", { name: "Clear filter" }));
    expect(listed()).toHaveLength(5);
  });

  it("draws only what is in sight of thousands", async () => {
    sessions = Array.from({ length: 5000 }, (_, i) => session(`n${i}`, { title: `Session ${i}`, workspaceId: "w1" }));
    localStorage.setItem("parley.sidebar", JSON.stringify({ grouping: "time" }));
    await draw();
    expect(model.rows().length).toBeGreaterThan(5000);
    expect(listed().length).toBeGreaterThan(10);
    expect(listed().length).toBeLessThan(100);
  });
});

describe("the keyboard", () => {
  it("goes through the rows, folds and unfolds", async () => {
    await draw();
    row("Alpha").focus();
    await user.keyboard("{ArrowDown}");
    expect(row("Beta")).toHaveFocus();
    await user.keyboard("{ArrowLeft}");
    expect(row("parley")).toHaveFocus();
    await user.keyboard("{ArrowLeft}");
    expect(listed()).toEqual(["parley", "notes", "Gamma"]);
    await user.keyboard("{ArrowDown}");
    expect(row("notes")).toHaveFocus();
    await user.keyboard("{End}");
    expect(row("Gamma")).toHaveFocus();
    await user.keyboard("{Home}{ArrowRight}{ArrowRight}");
    expect(row("Alpha")).toHaveFocus();
  });

  it("opens, pins, archives and asks to delete", async () => {
    const app = await draw();
    row("Alpha").focus();
    await user.keyboard("{Enter}");
    expect(app.state.current).toBe("a");
    row("Alpha").focus();
    await user.keyboard("p");
    await vi.waitFor(() => expect(listed().slice(0, 2)).toEqual(["Pinned", "Alpha"]));
    await vi.waitFor(() => expect(row("Alpha")).toHaveFocus());
    row("Beta").focus();
    await user.keyboard("a");
    await vi.waitFor(() => expect(listed()).not.toContain("Beta"));
    await vi.waitFor(() => expect(nav()).toContainElement(document.activeElement as HTMLElement));
    row("Gamma").focus();
    await user.keyboard("{Delete}");
    expect(await screen.findByRole("dialog")).toHaveTextContent("transcript stays on disk");
    expect(host.callsOf("session.delete")).toEqual([]);
  });

  it("renames in place: Enter saves, Esc does not", async () => {
    await draw();
    row("Alpha").focus();
    await user.keyboard("{F2}");
    await user.keyboard("Never{Escape}");
    expect(row("Alpha")).toHaveFocus();
    expect(host.callsOf("session.rename")).toEqual([]);
    await user.keyboard("{F2}Omega{Enter}");
    await vi.waitFor(() => expect(listed()).toContain("Omega"));
    expect(host.callsOf("session.rename")).toEqual([{ sessionId: "a", title: "Omega" }]);
  });
});

describe("putting away", () => {
  it("offers undo after deleting, which is asked about first", async () => {
    await draw();
    await menu("Alpha", /^Delete/);
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    await vi.waitFor(() => expect(listed()).toEqual(["parley", "Beta", "notes", "Gamma"]));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await vi.waitFor(() => expect(listed()).toContain("Alpha"));
    expect(host.callsOf("session.restore")).toEqual([{ sessionId: "a" }]);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  it("shows a failure and no undo when it did not go well", async () => {
    host.on("session.archive", () => {
      throw new HostError("conflict", "A turn is running.");
    });
    const app = await draw();
    await menu("Alpha", /^Archive/);
    await vi.waitFor(() => expect(app.state.problem?.message).toBe("A turn is running."));
    expect(app.state.undo).toBeNull();
    await vi.waitFor(() => expect(listed()).toContain("Alpha"));
  });

  it("shows the trash, restores from it and empties it for good", async () => {
    const gone = session("x", { title: "Gone", deletedAt: 9 });
    host.on("session.list", ({ trash }) => {
      const list = trash ? [gone, session("y", { title: "Going", deletedAt: 8 })] : sessions;
      return { sessions: list, total: list.length };
    });
    sessions.push(gone);
    await draw();
    model.show("trash");
    await vi.waitFor(() => expect(listed()).toEqual(["Gone", "Going"]));
    await menu("Gone", "Restore");
    await vi.waitFor(() => expect(listed()).toEqual(["Going"]));
    await menu("Going", /^Delete permanently/);
    await user.click(await screen.findByRole("button", { name: "Delete permanently" }));
    await vi.waitFor(() => expect(nav()).toHaveTextContent("The trash is empty."));
    expect(host.callsOf("session.purge")).toEqual([{ sessionId: "y" }]);
  });
});

describe("states", () => {
  it("is empty with a way on", async () => {
    sessions = [];
    await draw();
    await user.click(screen.getByText("No sessions yet.").parentElement!.querySelector("button")!);
    expect(calls.onNew).toHaveBeenCalled();
  });

  it("says that the rest could not be read, and tries again", async () => {
    const all = Array.from({ length: 300 }, (_, i) => session(`n${i}`, { workspaceId: "w1" }));
    let broken = true;
    host.on("session.list", ({ offset = 0, limit = 200 }) => {
      if (offset > 0 && broken) throw new HostError("internal", "It broke.");
      return { sessions: all.slice(offset, offset + limit), total: all.length };
    });
    const app = await draw();
    expect(await screen.findByText(/Couldn’t load all sessions. It broke./)).toBeVisible();
    broken = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await vi.waitFor(() => expect(app.listing.of("list")).toHaveLength(300));
  });

  it("counts what is on disk and says why the rest is not listed", async () => {
    await draw();
    await user.click(screen.getByRole("button", { name: /^9 of 12 sessions shown/ }));
    expect(await screen.findByText("Empty")).toBeVisible();
  });

  it("says nothing of the disk where there is nothing on it", async () => {
    await draw();
    host.emitGlobal({ event: "library.progress", payload: { library: library({ onDisk: 0, shown: 0 }) } });
    expect(screen.queryByRole("button", { name: /on disk/ })).toBeNull();
    host.emitGlobal({ event: "library.progress", payload: { library: library({ onDisk: 1, shown: 1 }) } });
    expect(screen.getByRole("button", { name: /^1 session on disk/ })).toBeVisible();
  });

  it("shows how far reading has come", async () => {
    await draw();
    const busy = { busy: true, files: 2000, filesDone: 450, bytes: 100, bytesDone: 30, problem: "" };
    host.emitGlobal({ event: "library.progress", payload: { library: library({ search: busy }) } });
    expect(nav()).toHaveTextContent("Loading 450 of 2,000 conversations");
  });
});

it("begins a session in a workspace without a dialog", async () => {
  await draw();
  await user.click(screen.getByRole("button", { name: "New session in parley" }));
  expect(calls.onNewHere).toHaveBeenCalledWith("/home/ada/projects/parley");
});
