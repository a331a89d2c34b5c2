import { screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Snapshot, SnapshotList } from "../../host/border.gen";
import { createFakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { Snapshots } from "./Snapshots";

const one = (name: string, more: Partial<Snapshot> = {}): Snapshot => ({
  name, at: Date.UTC(2026, 10, 20, 12), version: "1", bytes: 1_400_000, counts: { sessions: 12, rules: 1, drafts: 0 }, files: ["settings.json"], left: [], problem: "", ...more,
});

function host(list: Partial<SnapshotList>) {
  return createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "snapshot.list": () => ({ snapshots: [], problem: "", restarts: true, ...list }),
  });
}

it("lists what there is, and restores nothing before a user is sure", async () => {
  const fake = host({ snapshots: [one("b"), one("a", { problem: "its manifest cannot be read" })] });
  await renderApp(fake, () => <Snapshots />);
  const rows = within(await screen.findByRole("list", { name: "Snapshots, newest first" })).getAllByRole("listitem");
  expect(rows).toHaveLength(2);
  expect(rows[0]).toHaveTextContent("12 sessions · 1 rule · 1.4 MB");
  expect(rows[1]).toHaveTextContent("Can’t be restored: its manifest cannot be read");
  expect(within(rows[1]!).queryByRole("button")).toBeNull();

  await userEvent.click(within(rows[0]!).getByRole("button", { name: /^Restore snapshot of/ }));
  expect(rows[0]).toHaveTextContent("Nothing you allowed applies until you review it.");
  await userEvent.click(within(rows[0]!).getByRole("button", { name: "Cancel" }));
  expect(fake.callsOf("snapshot.restore")).toEqual([]);

  fake.on("snapshot.restore", () => ({ restarts: false }));
  await userEvent.click(within(rows[0]!).getByRole("button", { name: /^Restore snapshot of/ }));
  await userEvent.click(within(rows[0]!).getByRole("button", { name: "Restore and restart" }));
  expect(fake.callsOf("snapshot.restore")).toEqual([{ name: "b" }]);
  expect(await screen.findByText(/is restored when Parley next starts/)).toBeVisible();
});

it("makes one, and says why that failed", async () => {
  const fake = host({ problem: "the disk is full" });
  await renderApp(fake, () => <Snapshots />);
  expect(await screen.findByRole("alert")).toHaveTextContent("Couldn’t take the last snapshot: the disk is full");
  fake.on("snapshot.take", () => {
    throw new HostError("unavailable", "No snapshot could be made.");
  });
  await userEvent.click(screen.getByRole("button", { name: "Take snapshot" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("No snapshot could be made.");
  fake.on("snapshot.take", () => ({ made: true, snapshot: one("c") }));
  await userEvent.click(screen.getByRole("button", { name: "Take snapshot" }));
  expect(await screen.findByText("Snapshot taken.")).toBeVisible();
});
