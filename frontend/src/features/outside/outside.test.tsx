import { screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { HeldList } from "../../host/border.gen";
import { problem } from "../../../gallery/fixtures";
import { createFakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { OutsideNotice } from "./OutsideNotice";

const nothing: HeldList = { doubt: "", files: [], more: 0 };

const changed: HeldList = {
  doubt: "",
  files: [
    {
      name: "settings.json",
      path: "/home/ada/parley/settings.json",
      revision: "r1",
      changes: [{ field: "permissionMode", was: '"plan"', is: '"bypassPermissions"' }],
      more: 0,
    },
    {
      name: "heartbeats.yaml",
      path: "/home/ada/parley/heartbeats.yaml",
      revision: "r2",
      changes: [{ field: "heartbeats.night", was: "", is: "prompt: x", why: "It is new." }],
      more: 0,
    },
  ],
  more: 0,
};

function host(list: HeldList) {
  return createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "outside.list": () => list,
  });
}

/** The next decision succeeds, and leaves this. */
function decides(fake: ReturnType<typeof host>, method: "outside.accept" | "outside.undo", left: HeldList): void {
  fake.on(method, () => left);
  fake.on("outside.list", () => left);
}

it("shows what changed and takes nothing before a user decides, of what was shown", async () => {
  const fake = host(changed);
  await renderApp(fake, () => <OutsideNotice />, { problems: [problem("changes_held", { action: "outside" })] });
  await screen.findByText("Other programs changed 2 of Parley’s files.");
  await userEvent.click(screen.getByRole("button", { name: "Review…" }));
  const settings = within(await screen.findByRole("region", { name: "settings.json" }));
  expect(settings.getByText('"plan"')).toBeVisible();
  expect(settings.getByText('"bypassPermissions"')).toBeVisible();
  const beats = within(screen.getByRole("region", { name: "heartbeats.yaml" }));
  expect(beats.getByText("It is new.")).toBeVisible();
  expect(fake.callsOf("outside.accept")).toEqual([]);

  decides(fake, "outside.accept", { doubt: "", files: [changed.files[1]!], more: 0 });
  await userEvent.click(settings.getByRole("button", { name: "Accept" }));
  expect(fake.callsOf("outside.accept")).toEqual([{ name: "settings.json", revision: "r1" }]);
  await vi.waitFor(() => expect(screen.queryByRole("region", { name: "settings.json" })).toBeNull());

  fake.on("outside.undo", () => {
    throw new HostError("conflict", "heartbeats.yaml was changed meanwhile.");
  });
  const undo = (): HTMLElement => within(screen.getByRole("region", { name: "heartbeats.yaml" })).getByRole("button", { name: "Undo" });
  await userEvent.click(undo());
  expect(await screen.findByRole("alert")).toHaveTextContent("heartbeats.yaml was changed meanwhile.");
  decides(fake, "outside.undo", nothing);
  await userEvent.click(undo());
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.queryByRole("button", { name: "Review…" })).toBeNull();
});

it("says why Parley’s own notes are in doubt, and offers only to accept them", async () => {
  const fake = host({ doubt: "older", files: [], more: 0 });
  await renderApp(fake, () => <OutsideNotice />, { problems: [problem("changes_held", { action: "outside" })] });
  await userEvent.click(await screen.findByRole("button", { name: "Review…" }));
  const store = within(await screen.findByRole("region", { name: "Parley’s database" }));
  expect(store.getByText(/is older than its log says/)).toBeVisible();
  expect(store.queryByRole("button", { name: "Undo" })).toBeNull();
  decides(fake, "outside.accept", nothing);
  await userEvent.click(store.getByRole("button", { name: "I’ve reviewed it, accept" }));
  expect(fake.callsOf("outside.accept")).toEqual([{ name: "store" }]);
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("is read again when the link comes back", async () => {
  const fake = host(changed);
  await renderApp(fake, () => <OutsideNotice />, { problems: [problem("changes_held", { action: "outside" })] });
  await screen.findByText("Other programs changed 2 of Parley’s files.");
  fake.setStatus({ kind: "closed", reason: "", retryAt: null });
  fake.on("outside.list", () => ({ doubt: "", files: changed.files.slice(1), more: 0 }));
  fake.setStatus({ kind: "open" });
  expect(await screen.findByText("Another program changed one of Parley’s files.")).toBeVisible();
});

it("is read once the link is there, and a failure does not hide what is known", async () => {
  const fake = host(changed);
  fake.on("outside.list", () => Promise.reject(new HostError("unavailable", "Not now.")));
  await renderApp(fake, () => <OutsideNotice />, { problems: [problem("changes_held", { action: "outside" })] });
  await vi.waitFor(() => expect(fake.callsOf("outside.list")).toHaveLength(1));
  fake.on("outside.list", () => changed);
  fake.setStatus({ kind: "closed", reason: "", retryAt: null });
  fake.setStatus({ kind: "open" });
  await screen.findByText("Other programs changed 2 of Parley’s files.");
  fake.on("outside.list", () => Promise.reject(new HostError("unavailable", "Not now.")));
  fake.setStatus({ kind: "closed", reason: "", retryAt: null });
  fake.setStatus({ kind: "open" });
  await vi.waitFor(() => expect(fake.callsOf("outside.list").length).toBeGreaterThan(2));
  expect(screen.getByText("Other programs changed 2 of Parley’s files.")).toBeVisible();
});

it("asks for nothing while nothing is wrong", async () => {
  const fake = host(changed);
  await renderApp(fake, () => <OutsideNotice />);
  expect(fake.callsOf("outside.list")).toEqual([]);
  expect(screen.queryByRole("status")).toBeNull();
});

it("shows the lines that differ in full, and accepts nothing that is not shown", async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `/* ${i} */`);
  const file = { name: "theme.css", path: "/home/ada/parley/theme.css", revision: "r3", changes: [{ field: "theme.css", was: lines.join("\n"), is: [...lines, ":root { --text: transparent }"].join("\n") }], more: 0 };
  const long = { name: "memory/SOUL.md", path: "/home/ada/parley/memory/SOUL.md", revision: "r4", changes: [], more: 1 };
  const fake = host({ doubt: "", files: [file, long], more: 3 });
  await renderApp(fake, () => <OutsideNotice />, { problems: [problem("changes_held", { action: "outside" })] });
  await screen.findByText("Other programs changed 5 of Parley’s files.");
  await userEvent.click(screen.getByRole("button", { name: "Review…" }));
  const style = within(await screen.findByRole("region", { name: "theme.css" }));
  expect(style.getByText(":root { --text: transparent }")).toBeVisible();
  expect(style.getByText("/* 2999 */")).toBeVisible();
  expect(style.queryByText("/* 1000 */")).toBeNull();
  expect(style.getByRole("button", { name: "Accept" })).toBeEnabled();
  const soul = within(screen.getByRole("region", { name: "memory/SOUL.md" }));
  expect(soul.getByText(/^1 change is too long to be shown in full/)).toBeVisible();
  expect(soul.getByRole("button", { name: "Accept" })).toBeDisabled();
  expect(screen.getByText("3 more files follow when you have decided about these.")).toBeVisible();
});
