import { screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { Checkup, CheckResult } from "../../host/border.gen";
import { createFakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { HealthPage } from "./HealthPage";

const one = (id: string, state: string, more: Partial<CheckResult> = {}): CheckResult => ({ id, meaning: `What ${id} is for.`, state, says: `${id} says`, ...more });

function host(checks: CheckResult[], well = false) {
  const found: Checkup = { well, checks, report: "Parley 1, checkup: ~/data" };
  return createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "app.checkup": () => found,
    "session.create": () => session("new", { cwd: "/home/ada" }),
  });
}

it("lists what is broken first, and what each means", async () => {
  await renderApp(host([one("a.ok", "ok"), one("b.note", "note"), one("c.wrong", "wrong", { todo: "Do that." }), one("d.left", "skipped"), one("e.warning", "warning")]), () => <HealthPage />);
  const bad = await screen.findByRole("list", { name: "Broken" });
  expect(bad).toHaveTextContent("c.wrongc.wrong saysWhat c.wrong is for.Do that.");
  expect(within(screen.getByRole("list", { name: "Worth a look" })).getAllByRole("listitem").map((row) => row.querySelector("strong")?.textContent)).toEqual(["b.note", "e.warning"]);
  expect(screen.getByText("Fine (2)").closest("details")).not.toHaveAttribute("open");
  expect(screen.queryByRole("button", { name: /^Fix/ })).toBeNull();
  expect(screen.queryByText("Nothing is broken.")).toBeNull();
});

it("puts one thing right, and only where that is safe", async () => {
  const fake = host([one("files.modes", "wrong", { repairable: true }), one("cli.found", "wrong")]);
  await renderApp(fake, () => <HealthPage />);
  await screen.findByRole("list", { name: "Broken" });
  expect(screen.getAllByRole("button", { name: /^Fix/ })).toHaveLength(1);
  fake.on("app.checkup", () => ({ well: true, checks: [one("files.modes", "ok", { repairable: true, repaired: true })], report: "" }));
  await userEvent.click(screen.getByRole("button", { name: "Fix files.modes" }));
  expect(fake.callsOf("app.checkup")).toEqual([{}, { fix: ["files.modes"] }]);
  expect(await screen.findByText("Nothing is broken.")).toBeVisible();
  expect(screen.getByText("Fixed")).toBeInTheDocument();
  fake.on("app.checkup", () => {
    throw new HostError("conflict", "A checkup is already running.");
  });
  await userEvent.click(screen.getByRole("button", { name: "Check again" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("A checkup is already running.");
  // The findings stay.
  expect(screen.getByText("Fine (1)")).toBeVisible();
});

it("copies the report", async () => {
  const user = userEvent.setup();
  await renderApp(host([one("a", "ok")], true), () => <HealthPage />);
  await user.click(await screen.findByRole("button", { name: "Copy report" }));
  expect(await screen.findByRole("button", { name: "Copied" })).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe("Parley 1, checkup: ~/data");
});

it("asks Claude with the report in the box, and sends nothing", async () => {
  const fake = host([one("a", "wrong")]);
  const app = await renderApp(fake, () => <HealthPage />, { home: "/home/ada", recentFolders: [] });
  await userEvent.click(await screen.findByRole("button", { name: "Ask Claude about this report" }));
  expect(fake.callsOf("session.create")).toEqual([{ cwd: "/home/ada" }]);
  await vi.waitFor(() => expect(app.state.drafts["new"]?.text).toMatch(/^This is a report of Parley[^]*\n\nParley 1, checkup: ~\/data$/));
  expect(fake.callsOf("session.prompt")).toEqual([]);
});
