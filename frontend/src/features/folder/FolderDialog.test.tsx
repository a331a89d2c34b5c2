import { fireEvent, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { FolderDialog } from "./FolderDialog";
import { isPath, split } from "./model";

const tree: Record<string, string[]> = {
  "/": ["home", "tmp"],
  "/home": ["ada"],
  "/home/ada": [".config", "music", "notes", "projects"],
  "/home/ada/music": [],
  "/home/ada/projects": ["engine", "parley"],
  "/home/ada/projects/parley": ["app"],
};

let host: FakeHost;
const closed = vi.fn();

async function draw(pickFolder = false): Promise<HTMLElement> {
  closed.mockReset();
  host = createFakeHost(
    {
      "session.list": () => ({ sessions: [], total: 0 }),
      "permission.list": () => ({ requests: [] }),
      "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
      "session.create": ({ cwd }) => session("new", { cwd }),
      "folder.list": ({ path = "/home/ada" }) => {
        const names = tree[path];
        if (!names) throw new HostError("not_found", `There is no folder ${path}.`);
        const parent = path === "/" ? "" : path.slice(0, path.lastIndexOf("/")) || "/";
        return {
          path,
          parent,
          entries: names.map((name) => ({ name, path: path === "/" ? `/${name}` : `${path}/${name}`, git: name === "parley" })),
          truncated: false,
        };
      },
    },
    { pickFolder },
  );
  await renderApp(host, (app) => (
    <FolderDialog
      open
      onOpenChange={closed}
      title="New session"
      description="Choose a folder for Claude to work in."
      onChoose={(path) => app.actions.create(path)}
    />
  ));
  await vi.waitFor(() => expect(names()).toContain("music"));
  return screen.getByRole("combobox");
}

/** The text of the rows, without the parent folder of a recent one. */
const names = () =>
  within(screen.getByRole("listbox"))
    .getAllByRole("option")
    .map((o) => o.querySelector("[data-slot=name]")?.textContent);
const marked = () => screen.queryByRole("option", { selected: true })?.querySelector("[data-slot=name]")?.textContent;
const created = () => host.callsOf("session.create").map((p) => p.cwd);

beforeEach(() => localStorage.clear());

describe("the folder picker", () => {
  it("shows recent folders, then the home folder without what is hidden", async () => {
    await draw();
    expect(names()).toEqual(["parley", "engine", "notes", "Parent folder", "music", "notes", "projects"]);
    expect(marked()).toBe("parley");
  });

  it("opens the last folder used with Enter", async () => {
    const box = await draw();
    fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(closed).toHaveBeenCalledWith(false));
    expect(created()).toEqual(["/home/ada/projects/parley"]);
  });

  it("goes down and up with the keyboard and opens where it is", async () => {
    const box = await draw();
    const user = userEvent.setup();
    await user.type(box, "proj");
    expect(names()).toEqual(["parley", "engine", "projects"]);
    await user.keyboard("{ArrowUp}");
    expect(marked()).toBe("projects");
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(names()).toEqual(["Parent folder", "engine", "parley"]));
    expect(box).toHaveValue("");
    expect(marked()).toBeUndefined();
    await user.keyboard("{Backspace}");
    await vi.waitFor(() => expect(names()).toEqual(["Parent folder", "music", "notes", "projects"]));
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(created()).toEqual(["/home/ada"]));
  });

  it("follows a typed path and opens it", async () => {
    const box = await draw();
    const user = userEvent.setup();
    await user.type(box, "~/projects/");
    await vi.waitFor(() => expect(names()).toEqual(["engine", "parley"]));
    await user.type(box, "eng{Enter}");
    await vi.waitFor(() => expect(host.callsOf("folder.list").at(-1)).toEqual({ path: "/home/ada/projects/engine" }));
    expect(created()).toEqual([]);
    await user.clear(box);
    await user.type(box, "/home/ada/projects/parley{Enter}");
    await vi.waitFor(() => expect(created()).toEqual(["/home/ada/projects/parley"]));
  });

  it("finds hidden folders when they are asked for", async () => {
    const box = await draw();
    await userEvent.setup().type(box, ".con");
    expect(names()).toEqual([".config"]);
  });

  it("says why a folder cannot be shown, and shows the next one that can", async () => {
    const box = await draw();
    const user = userEvent.setup();
    await user.type(box, "/nowhere/x");
    expect(await screen.findByRole("alert")).toHaveTextContent("There is no folder /nowhere.");
    await user.clear(box);
    await user.type(box, "/home/");
    await vi.waitFor(() => expect(names()).toEqual(["ada"]));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("says why a session cannot be made and stays", async () => {
    const box = await draw();
    host.on("session.create", () => {
      throw new HostError("not_found", "The folder is gone.");
    });
    fireEvent.keyDown(box, { key: "Enter" });
    expect(await screen.findByRole("alert")).toHaveTextContent("The folder is gone.");
    expect(closed).not.toHaveBeenCalled();
  });

  it("leaves Enter to an input method", async () => {
    const box = await draw();
    fireEvent.keyDown(box, { key: "Enter", isComposing: true });
    expect(created()).toEqual([]);
  });

  it("shows the system's dialog where there is one; cancelling it changes nothing", async () => {
    await draw(true);
    host.on("folder.pick", () => ({ path: "" }));
    fireEvent.click(screen.getByRole("button", { name: "Browse…" }));
    await vi.waitFor(() => expect(host.callsOf("folder.pick")).toHaveLength(1));
    expect(created()).toEqual([]);
    host.on("folder.pick", () => ({ path: "/tmp/x" }));
    fireEvent.click(screen.getByRole("button", { name: "Browse…" }));
    await vi.waitFor(() => expect(created()).toEqual(["/tmp/x"]));
  });

  it("offers no system dialog in a browser", async () => {
    await draw();
    expect(screen.queryByRole("button", { name: "Browse…" })).toBeNull();
  });
});

it.each([
  ["/", true],
  ["~", true],
  ["~/x", true],
  ["C:\\", true],
  ["C:/x", true],
  ["x/y", false],
  ["~x", false],
  ["", false],
])("isPath(%j) is %j", (text, path) => expect(isPath(text)).toBe(path));

it.each([
  ["/home/ada", "/home", "ada"],
  ["/home/", "/home", ""],
  ["/h", "/", "h"],
  ["/", "/", ""],
  ["C:\\Users", "C:\\", "Users"],
  ["C:\\Users\\a", "C:\\Users", "a"],
])("splits %s", (path, folder, name) => expect(split(path)).toEqual({ folder, name }));
