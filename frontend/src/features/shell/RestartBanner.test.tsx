import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { createFakeHost } from "../../host/fake";
import type { RestartStatus } from "../../host/border.gen";
import { renderApp } from "../../test/render";
import { RestartBanner } from "./RestartBanner";
import { restart } from "./restart";

async function draw(change: Partial<RestartStatus> = {}) {
  const asked: unknown[] = [];
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "app.restart": (params) => {
      asked.push(params);
      const { when } = params;
      return { state: when === "idle" ? "waiting" : when === "never" ? "running" : when === "now" ? "restarting" : "working", work: [] };
    },
  });
  const app = await renderApp(host, () => <RestartBanner />, { version: "2", restart: { possible: true, waiting: false, at: 0, before: "", working: 0, ...change } });
  return { app, host, asked };
}

it("waits where something would be cut, says so, and takes it back", async () => {
  const { app, host, asked } = await draw();
  await restart(app);
  expect(asked).toEqual([{}, { when: "idle" }]);
  host.emitGlobal({ event: "restart.changed", payload: { waiting: true } });
  expect(await screen.findByText("Parley restarts when the sessions have finished.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Don’t restart" }));
  expect(asked.at(-1)).toEqual({ when: "never" });
  await userEvent.click(screen.getByRole("button", { name: "Interrupt and restart now" }));
  expect(asked.at(-1)).toEqual({ when: "now" });
  host.emitGlobal({ event: "restart.changed", payload: { waiting: false } });
  await vi.waitFor(() => expect(screen.queryByText("Parley restarts when the sessions have finished.")).toBeNull());
});

it.each([
  [{ before: "2" }, "Parley was restarted."],
  [{ before: "1" }, "Parley was updated to 2."],
  [{ before: "2", working: 2 }, "Parley was restarted while 2 sessions worked; nothing was interrupted."],
  [{ before: "1", working: 1 }, "Parley was updated while 1 session worked; nothing was interrupted."],
])("%j says what happened, until it is dismissed", async (change, text) => {
  await draw({ at: Date.now(), ...change });
  expect(await screen.findByText(text)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  await vi.waitFor(() => expect(screen.queryByText(text)).toBeNull());
});

it("says nothing of what was long ago", async () => {
  await draw({ at: Date.now() - 60_000, before: "1" });
  expect(screen.queryByText(/Parley was/)).toBeNull();
});
