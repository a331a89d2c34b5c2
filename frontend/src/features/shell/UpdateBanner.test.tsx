import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { createFakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import type { Updates } from "../../host/border.gen";
import { renderApp } from "../../test/render";
import { UpdateBanner } from "./UpdateBanner";

async function draw(updates: Partial<Updates>, update = vi.fn(() => ({ version: "2.0.0", state: "restarting" }))) {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "app.updates": () => ({ state: "available", version: "1.0.0", newer: "2.0.0", told: true, ...updates }),
    "app.update": update,
  });
  const app = await renderApp(host, () => <UpdateBanner />);
  return { app, update };
}

it("tells of a newer version and has it installed with one click", async () => {
  const { update } = await draw({});
  expect(await screen.findByText("Parley 2.0.0 is available.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Update Parley" }));
  expect(update).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(screen.queryByText(/2\.0\.0/)).toBeNull());
});

it("says why it could not be installed, and stays", async () => {
  const failing = vi.fn(() => {
    throw new HostError("unavailable", "The disk is full.");
  });
  const { app } = await draw({}, failing);
  await userEvent.click(await screen.findByRole("button", { name: "Update Parley" }));
  await vi.waitFor(() => expect(app.state.problem?.message).toContain("The disk is full."));
  expect(screen.getByText("Parley 2.0.0 is available.")).toBeVisible();
});

it("goes away when it is dismissed", async () => {
  await draw({});
  await userEvent.click(await screen.findByRole("button", { name: "Dismiss" }));
  await vi.waitFor(() => expect(screen.queryByText(/2\.0\.0/)).toBeNull());
});

it.each([{ told: false }, { state: "off", newer: "", told: false }])("says nothing of %j", async (updates) => {
  await draw(updates);
  expect(screen.queryByText(/available/)).toBeNull();
});
