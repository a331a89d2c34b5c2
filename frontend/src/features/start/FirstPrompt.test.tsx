import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createSignal, Show } from "solid-js";
import { beforeEach, expect, it, vi } from "vitest";
import { session, workspace } from "../../../gallery/fixtures";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { StartPage } from "./StartPage";

let host: FakeHost;
const user = userEvent.setup();
const [shown, setShown] = createSignal(true);

beforeEach(() => {
  setShown(true);
  host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "session.create": ({ cwd }) => session("new", { cwd }),
    "session.prompt": () => ({ turnId: "t" }),
    "draft.get": () => ({ sessionId: "new", text: "", attachments: [], updatedAt: 0 }),
    "draft.set": () => ({}),
    "workspace.list": () => ({
      workspaces: [
        workspace("w1", "/home/ada/projects/parley", {
          lastUsedAt: 1,
          defaults: { model: "", effort: "", permissionMode: "plan", engine: "", profile: "" },
        }),
        workspace("w2", "/home/ada/notes", { lastUsedAt: 2 }),
      ],
    }),
  });
});

const draw = (recentFolders = ["/home/ada/notes"]) =>
  renderApp(
    host,
    () => (
      <Show when={shown()}>
        <StartPage sidebarHidden={false} onShowSidebar={() => {}} onChooseFolder={() => {}} />
      </Show>
    ),
    { recentFolders },
  );
const box = () => screen.getByRole("textbox", { name: "Prompt" });

it("makes a session in the folder used last and sends it the first prompt", async () => {
  const app = await draw();
  expect(screen.getByRole("heading", { level: 1, name: "What should we work on?" })).toBeVisible();
  expect(box()).toHaveFocus();
  expect(screen.getByRole("button", { name: "Send" })).toBeDisabled();
  await vi.waitFor(() => expect(screen.getByRole("button", { name: "Folder: notes" })).toBeVisible());
  await user.keyboard("{Enter}Sort them{Shift>}{Enter}{/Shift}by year{Enter}");
  await vi.waitFor(() => expect(host.callsOf("session.prompt")).toHaveLength(1));
  expect(host.callsOf("session.create")).toEqual([{ cwd: "/home/ada/notes" }]);
  expect(host.callsOf("session.prompt")[0]).toMatchObject({ sessionId: "new", text: "Sort them\nby year" });
  expect(app.state.current).toBe("new");
  await vi.waitFor(() => expect(app.state.drafts["new"]?.text).toBe(""));
  expect(box()).toHaveValue("");
});

it("takes another folder, with what is usual there, and a mode", async () => {
  await draw();
  await user.click(await screen.findByRole("button", { name: "Folder: notes" }));
  await user.click(await screen.findByRole("menuitemradio", { name: /parley/ }));
  await user.click(await screen.findByRole("button", { name: "Permission mode: Plan" }));
  await user.click(await screen.findByRole("menuitemradio", { name: /Accept edits/ }));
  await user.type(await screen.findByRole("textbox", { name: "Prompt" }), "Go");
  await user.click(screen.getByRole("button", { name: "Send" }));
  await vi.waitFor(() => expect(host.callsOf("session.prompt")).toHaveLength(1));
  expect(host.callsOf("session.create")).toEqual([{ cwd: "/home/ada/projects/parley", permissionMode: "acceptEdits" }]);
});

it("makes one session however often Enter is pressed, and keeps the words when that fails", async () => {
  let fail: (error: Error) => void = () => {};
  host.on("session.create", () => new Promise((_, reject) => (fail = reject)));
  await draw();
  await user.type(box(), "Go{Enter}{Enter}");
  expect(host.callsOf("session.create")).toHaveLength(1);
  fail(new HostError("not_found", "The folder is gone."));
  expect(await screen.findByRole("alert")).toHaveTextContent("The folder is gone.");
  expect(box()).toHaveValue("Go");
  expect(host.callsOf("session.prompt")).toEqual([]);
  // Visiting a session in between does not lose them.
  setShown(false);
  expect(screen.queryByRole("textbox")).toBeNull();
  setShown(true);
  expect(box()).toHaveValue("Go");
});

it("leaves what could not be sent in the session's box", async () => {
  host.on("session.prompt", () => {
    throw new HostError("busy", "Too many sessions.");
  });
  const app = await draw();
  await user.type(box(), "Go{Enter}");
  await vi.waitFor(() => expect(app.state.drafts["new"]?.error).toBe("Too many sessions."));
  expect(app.state.drafts["new"]?.text).toBe("Go");
});

it("sends no command for the shell as a prompt", async () => {
  const app = await draw();
  await user.type(box(), "!ls{Enter}");
  await vi.waitFor(() => expect(app.state.drafts["new"]?.text).toBe("!ls"));
  expect(host.callsOf("session.prompt")).toEqual([]);
});

it("asks for a folder where there was none", async () => {
  await draw([]);
  expect(screen.getByRole("heading", { level: 1, name: "Where should Claude work?" })).toBeVisible();
  expect(screen.queryByRole("textbox", { name: "Prompt" })).toBeNull();
});
