import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { session, workspace } from "../../../gallery/fixtures";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { NewSession } from "./NewSession";

let host: FakeHost;
const user = userEvent.setup();
const closed = vi.fn();

beforeEach(() => {
  closed.mockReset();
  host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "session.create": ({ cwd }) => session("new", { cwd }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({
      workspaces: [
        workspace("w1", "/home/ada/projects/parley", {
          defaults: { model: "", effort: "", permissionMode: "plan", engine: "sdk", profile: "" },
        }),
        workspace("w2", "/home/ada/notes"),
        workspace("w3", "/home/ada/old", { folder: "gone" }),
      ],
    }),
    "profile.list": () => ({ profiles: [], keyring: "" }),
  });
});

async function draw(folder = "/home/ada/notes") {
  return await renderApp(host, () => <NewSession folder={folder} onClose={closed} />, { recentFolders: ["/srv/site"] });
}
const folders = () => screen.getAllByRole("radio").map((radio) => radio.title);

it("offers the folders that are there, the likely one chosen; Enter is enough", async () => {
  const app = await draw();
  await vi.waitFor(() => expect(folders()).toEqual(["/home/ada/projects/parley", "/home/ada/notes", "/srv/site"]));
  expect(screen.getByRole("radio", { checked: true })).toHaveAttribute("title", "/home/ada/notes");
  screen.getByRole("radio", { checked: true }).focus();
  await user.keyboard("{ArrowUp}");
  await vi.waitFor(() => expect(screen.getByRole("radio", { checked: true })).toHaveFocus());
  await user.keyboard("{Enter}");
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(host.callsOf("session.create")).toEqual([{ cwd: "/home/ada/projects/parley" }]);
  expect(app.state.current).toBe("new");
});

it("shows what the folder's workspace has for new sessions", async () => {
  await draw("/home/ada/projects/parley");
  expect(await screen.findByRole("button", { name: /^Permission mode: Default: Plan/ })).toBeVisible();
  expect(screen.getByRole("button", { name: /^Engine: Default/ })).toBeVisible();
});

it("takes a title, and stays with what was typed when it fails", async () => {
  host.on("session.create", () => {
    throw new HostError("not_found", "The folder is gone.");
  });
  await draw();
  await user.type(await screen.findByRole("textbox", { name: "Title" }), "  Release  ");
  await user.click(screen.getByRole("button", { name: "Create session" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("The folder is gone.");
  expect(screen.getByRole("textbox", { name: "Title" })).toHaveValue("  Release  ");
  expect(host.callsOf("session.create")).toEqual([{ cwd: "/home/ada/notes", title: "Release" }]);
  expect(closed).not.toHaveBeenCalled();
});
