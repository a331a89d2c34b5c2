import { screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Device } from "../../host/border.gen";
import { createFakeHost } from "../../host/fake";
import { renderApp } from "../../test/render";
import { DevicesPage } from "./DevicesPage";

const phone: Device = { id: "a", name: "My phone", role: "answer", createdAt: 1, usedAt: 1, current: false };

const defaults = () => null;

function host(devices: Device[], kind: "gateway" | "window" = "gateway") {
  const fake = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "device.list": () => ({ devices, url: "", problem: "" }),
    "device.pair": () => ({ code: "pair.ABCDEFGHIJKLMNOP", expiresAt: Date.UTC(2026, 10, 26, 12) }),
  });
  return Object.assign(fake, { kind });
}

it("pairs a device with a link, and says when it is in", async () => {
  const devices: Device[] = [];
  const fake = host(devices);
  await renderApp(fake, () => <DevicesPage defaults={defaults} />);
  expect(await screen.findByText("No devices yet.")).toBeVisible();
  await userEvent.type(screen.getByLabelText("Name"), " My phone ");
  await userEvent.click(screen.getByRole("radio", { name: "View only" }));
  await userEvent.click(screen.getByRole("button", { name: "Pair a device" }));
  expect(fake.callsOf("device.pair")).toEqual([{ name: "My phone", role: "look" }]);
  expect(await screen.findByText(/#token=pair\.ABCDEFGHIJKLMNOP/)).toBeVisible();
  expect(screen.getByRole("img", { name: "Pairing code" })).toBeVisible();

  devices.push(phone);
  fake.emitGlobal({ event: "devices.changed", payload: {} });
  expect(await screen.findByText("My phone is paired.")).toBeVisible();
  expect(screen.queryByText(/#token=/)).toBeNull();
});

it("shuts a device out when a user is sure", async () => {
  const fake = host([phone, { ...phone, id: "b", name: "Tablet", current: true }]);
  fake.on("device.remove", () => ({}));
  await renderApp(fake, () => <DevicesPage defaults={defaults} />);
  const rows = within(await screen.findByRole("list", { name: "Devices, newest first" })).getAllByRole("listitem");
  expect(rows[0]).toHaveTextContent("View and answer requests");
  expect(rows[1]).toHaveTextContent("This device");
  await userEvent.click(within(rows[0]!).getByRole("button", { name: "Remove My phone" }));
  expect(fake.callsOf("device.remove")).toEqual([]);
  await userEvent.click(within(rows[0]!).getByRole("button", { name: "Remove" }));
  expect(fake.callsOf("device.remove")).toEqual([{ id: "a" }]);
});

it("lets browsers into the window's Parley when a user gives a port", async () => {
  const fake = host([], "window");
  await renderApp(fake, () => <DevicesPage defaults={defaults} />);
  expect(await screen.findByText("Let paired browsers in")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Pair a device" })).toBeNull();
  fake.on("device.list", () => ({ devices: [], url: "", problem: "Parley cannot listen on 127.0.0.1:7717." }));
  fake.emitGlobal({ event: "devices.changed", payload: {} });
  expect(await screen.findByRole("alert")).toHaveTextContent("cannot listen");
  fake.on("device.list", () => ({ devices: [], url: "http://127.0.0.1:7717/", problem: "" }));
  fake.emitGlobal({ event: "devices.changed", payload: {} });
  await userEvent.type(await screen.findByLabelText("Name"), "Browser");
  await userEvent.click(screen.getByRole("button", { name: "Pair a device" }));
  expect(await screen.findByText("http://127.0.0.1:7717/#token=pair.ABCDEFGHIJKLMNOP")).toBeVisible();
});
