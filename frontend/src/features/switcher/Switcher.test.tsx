import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createSignal } from "solid-js";
import { beforeEach, expect, it, vi } from "vitest";
import { session, workspace } from "../../../gallery/fixtures";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { renderApp } from "../../test/render";
import type { Command } from "./commands";
import { Switcher } from "./Switcher";

let host: FakeHost;
const user = userEvent.setup();
const closed = vi.fn();
const run = vi.fn();
const commands = (): Command[] => [{ id: "c:theme", name: "Theme: dark", keys: "", group: "program", also: "night, black", run }];

beforeEach(() => {
  closed.mockReset();
  run.mockReset();
  const sessions = [
    session("a", { title: "Retry the upload", workspaceId: "w", lastActivityAt: 30 }),
    session("b", { title: "Reading notes", lastActivityAt: 20 }),
    session("c", { title: "Upload retries are slow", lastActivityAt: 10, openQuestions: 1 }),
  ];
  host = createFakeHost({
    "session.list": () => ({ sessions, total: 3 }),
    "session.create": ({ cwd }) => session("new", { cwd }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [workspace("w", "/home/ada/projects/parley")] }),
  });
});

async function draw() {
  const [open, setOpen] = createSignal(false);
  const app = await renderApp(host, () => (
    <Switcher
      open={open()}
      commands={commands}
      onClose={() => {
        setOpen(false);
        closed();
      }}
    />
  ));
  await vi.waitFor(() => expect(app.state.workspaceOrder).toHaveLength(1));
  setOpen(true);
  await screen.findByRole("combobox");
  return app;
}
const titles = () => screen.getAllByRole("option").map((o) => o.querySelector('[data-slot="title"]')?.textContent);

it("begins with who waits, what was used last, the workspaces and the commands", async () => {
  await draw();
  expect(screen.getByRole("combobox")).toHaveFocus();
  expect(titles()).toEqual(["Upload retries are slow", "Retry the upload", "Reading notes", "parley", "Theme: dark"]);
});

it("finds by a few letters, marks them, and goes there with Enter", async () => {
  const app = await draw();
  await user.keyboard("read no");
  expect(titles()).toEqual(["Reading notes"]);
  expect([...document.querySelectorAll("mark")].map((m) => m.textContent).join("").replace(/\s/g, "")).toBe("Readno");
  await user.keyboard("{Enter}");
  await vi.waitFor(() => expect(app.state.current).toBe("b"));
  expect(closed).toHaveBeenCalledOnce();
});

it("is gone through with the arrows, round and round", async () => {
  const app = await draw();
  await user.keyboard("{ArrowDown}{ArrowUp}{ArrowUp}{Enter}");
  await vi.waitFor(() => expect(run).toHaveBeenCalledOnce());
  expect(app.state.current).toBeNull();
});

it("begins a session in a workspace", async () => {
  const app = await draw();
  await user.keyboard("parley{Enter}");
  await vi.waitFor(() => expect(app.state.current).toBe("new"));
  expect(host.callsOf("session.create")).toEqual([{ cwd: "/home/ada/projects/parley" }]);
});

it("says so when nothing matches", async () => {
  await draw();
  await user.keyboard("zzzz{Enter}");
  expect(screen.getByText(/No matches/)).toBeVisible();
  expect(closed).not.toHaveBeenCalled();
});

it("finds a command by another word for it, and remembers what was used", async () => {
  localStorage.clear();
  await draw();
  await user.keyboard("night");
  expect(titles()).toEqual(["Theme: dark"]);
  await user.keyboard("{Enter}");
  await vi.waitFor(() => expect(run).toHaveBeenCalledOnce());
  expect(JSON.parse(localStorage.getItem("parley.commands") ?? "")).toEqual(["c:theme"]);
});

it("opens a file of the session on the page", async () => {
  host.on("file.find", () => ({ files: [{ path: "src", folder: true }, { path: "src/upload.go", folder: false }], scanning: false, truncated: false }));
  host.on("editor.open", () => ({ editor: "code" }));
  const app = await draw();
  app.actions.open("b");
  await user.keyboard("upload.g");
  await vi.waitFor(() => expect(titles()).toEqual(["upload.go"]));
  await user.keyboard("{Enter}");
  await vi.waitFor(() => expect(host.callsOf("editor.open")).toEqual([{ sessionId: "b", path: "src/upload.go" }]));
});

it("keeps its rows where they are when files are found, so that no click is lost", async () => {
  host.on("file.find", () => ({ files: [{ path: "src/read.go", folder: false }], scanning: false, truncated: false }));
  const app = await draw();
  app.actions.open("a");
  await user.keyboard("read");
  const [row] = screen.getAllByRole("option");
  await vi.waitFor(() => expect(titles()).toContain("read.go"));
  expect(screen.getAllByRole("option")[0]).toBe(row);
});
