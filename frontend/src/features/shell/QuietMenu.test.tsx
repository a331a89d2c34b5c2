import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { info } from "../../../gallery/fixtures";
import type { Settings } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { NoticesPage } from "../settings/NoticesPage";
import { QuietMenu } from "./QuietMenu";

let settings: Settings;

async function draw(doNotDisturbUntil: number, view = () => <QuietMenu />): Promise<FakeHost> {
  settings = { ...info().settings, doNotDisturbUntil };
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "settings.set": (patch) => (settings = { ...settings, ...patch }),
    "way.list": () => ({ ways: [] }),
  });
  await renderApp(host, view, { settings });
  return host;
}

afterEach(() => {
  vi.useRealTimers();
});

it("says when nobody is disturbed, and is changed by its menu", async () => {
  const host = await draw(0);
  await userEvent.click(screen.getByRole("button", { name: "Notifications are on" }));
  await userEvent.click(await screen.findByRole("menuitemradio", { name: "Do not disturb until turned off" }));
  expect(host.callsOf("settings.set")).toEqual([{ doNotDisturbUntil: -1 }]);
  await screen.findByRole("menuitemradio", { name: "Do not disturb until turned off", checked: true });
  // An open menu hides everything behind it from assistive technology.
  await screen.findByRole("button", { name: "Do not disturb", hidden: true });
  await userEvent.click(screen.getByRole("menuitemradio", { name: "Notifications on" }));
  expect(host.callsOf("settings.set").at(-1)).toEqual({ doNotDisturbUntil: 0 });
  await screen.findByRole("button", { name: "Notifications are on", hidden: true });
});

it("ends automatically", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await draw(Date.now() + 60_000);
  const label = () => screen.getByRole("button").getAttribute("aria-label");
  expect(label()).toMatch(/^Do not disturb until /);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(label()).toBe("Notifications are on");
});

it("is a setting, too", async () => {
  const host = await draw(0, () => <NoticesPage defaults={() => null} />);
  expect((screen.getByRole("radio", { name: "Off" }) as HTMLInputElement).checked).toBe(true);
  const before = Date.now();
  await userEvent.click(screen.getByRole("radio", { name: "For an hour" }));
  const [patch] = host.callsOf("settings.set") as [{ doNotDisturbUntil: number }];
  expect(patch.doNotDisturbUntil).toBeGreaterThanOrEqual(before + 3_600_000);
  await screen.findByText(/still counted\. Do not disturb until .*\.$/);
});

it("says why it could not be set", async () => {
  const host = await draw(0, () => <NoticesPage defaults={() => null} />);
  host.on("settings.set", () => {
    throw new HostError("unavailable", "The disk is full.");
  });
  await userEvent.click(screen.getByRole("radio", { name: "On" }));
  expect((await screen.findByRole("alert")).textContent).toBe("The disk is full.");
});
