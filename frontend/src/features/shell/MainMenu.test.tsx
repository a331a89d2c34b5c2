import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { createFakeHost } from "../../host/fake";
import { renderApp } from "../../test/render";
import { createSidebarModel } from "../sessions/model";
import { createActions } from "../switcher/commands";
import { MainMenu } from "./MainMenu";

const nothing = () => {};

it("names every place of the program with its keys, and goes there", async () => {
  const host = createFakeHost({ "session.list": () => ({ sessions: [], total: 0 }), "permission.list": () => ({ requests: [] }), "workspace.list": () => ({ workspaces: [] }) });
  const showSettings = vi.fn();
  const app = await renderApp(host, (known) => {
    // Created once and owned by the page: as a prop, it would be created on each access.
    const actions = createActions(known, createSidebarModel(known), {
      newSession: nothing, newHere: nothing, toggleSidebar: nothing, showShortcuts: nothing, showSwitcher: nothing, showSettings, neighbour: nothing, interrupt: nothing,
    });
    return <MainMenu actions={actions} />;
  });
  const user = userEvent.setup();
  const open = async () => {
    await user.click(await screen.findByRole("button", { name: "Menu" })); // the open menu hides it until it has closed
    return await screen.findAllByRole("menuitem");
  };
  const items = (await open()).map((item) => item.querySelector('[data-slot="text"]')?.textContent);
  expect(items).toHaveLength(13);
  expect(items.filter((name) => !name)).toEqual([]);
  await user.click(screen.getByRole("menuitem", { name: /^Memory/ }));
  await vi.waitFor(() => expect(app.layout.shows("memory")).toBe(true));
  await open();
  await user.click(screen.getByRole("menuitem", { name: /^Settings/ }));
  await vi.waitFor(() => expect(showSettings).toHaveBeenCalledOnce());
});
