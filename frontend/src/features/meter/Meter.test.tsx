import { cleanup, render, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import { contextReport, usageHandlers } from "../../../gallery/usage";
import type { Session } from "../../host/border.gen";
import { createFakeHost, type FakeHost, type Handlers } from "../../host/fake";
import { renderApp } from "../../test/render";
import { context, unsized } from "./gallery";
import { Meter, MeterView } from "./Meter";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function host(change: Partial<Session> = {}, more: Handlers = {}): FakeHost {
  return createFakeHost({
    "session.list": () => ({ sessions: [session("s1", { pid: 7, context: context(160_000, 200_000, "critical"), ...change })], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "session.prompt": () => ({ turnId: "t" }),
    ...usageHandlers,
    ...more,
  });
}

test("before the first call there is a dash", () => {
  render(() => <MeterView context={null} totalCostUSD={0} />);
  const meter = screen.getByRole("button", { name: "Context: unknown until the first answer" });
  expect(meter).toHaveTextContent("—");
  expect(meter).not.toHaveTextContent("$");
});

test("used, window and percent are in view, with the cost", () => {
  render(() => <MeterView context={context(86_400, 1_000_000, "ok")} totalCostUSD={0.4233} />);
  const meter = screen.getByRole("button", { name: /^Context: 86k \/ 1M, 9%/ });
  expect(meter).toHaveTextContent("86k / 1M · 9%$0.42");
  expect(meter).toHaveAttribute("data-level", "ok");
});

test.each(["warning", "critical"] as const)("the level is the back end's: %s", (level) => {
  render(() => <MeterView context={context(1, 1_000_000, level)} totalCostUSD={0} />);
  expect(screen.getByRole("button")).toHaveAttribute("data-level", level);
});

test("of a window that is not known nothing is claimed", async () => {
  const user = userEvent.setup();
  const fake = host({ context: unsized(161_000) }, { "usage.context": () => { const { window: _w, ...report } = contextReport({ total: 161_000, autoCompactAt: 0 }); return { ...report, categories: report.categories.filter((c) => c.kind === "used") }; } });
  await renderApp(fake, () => <Meter sessionId="s1" />);
  const meter = screen.getByRole("button", { name: /^Context: 161k\b/ });
  expect(meter).not.toHaveTextContent("%");
  expect(meter).toHaveAttribute("data-level", "none");
  await user.hover(meter);
  const tip = await screen.findByRole("tooltip");
  expect(tip).toHaveTextContent("Used161,000The CLI reports the window size when the turn ends.");
  expect(tip).not.toHaveTextContent("%");
  await user.click(meter);
  const panel = await screen.findByRole("dialog", { name: "Context window" });
  const table = await within(panel).findByRole("table", { name: "Context breakdown" });
  expect(table).not.toHaveTextContent("%");
  expect(panel).toHaveTextContent("161k tokens");
  expect(panel).not.toHaveTextContent("compacts automatically");
});

test("the panel has the meter’s figures, and not another count of the CLI’s", async () => {
  const user = userEvent.setup();
  await renderApp(host(), () => <Meter sessionId="s1" />);
  await user.click(screen.getByRole("button"));
  const panel = await screen.findByRole("dialog", { name: "Context window" });
  await within(panel).findByRole("table", { name: "Context breakdown" });
  expect(panel).toHaveTextContent("160k of 200k tokens, 80%");
});

test("the keyboard reaches the four figures and where the window comes from", async () => {
  const user = userEvent.setup();
  render(() => <MeterView context={context(160_000, 200_000, "critical")} totalCostUSD={1} />);
  await user.tab();
  const tip = await screen.findByRole("tooltip");
  for (const words of [
    "New input1,200", "Cache read140,000", "Cache write18,000", "Answer800",
    "Used160,000", "Window200,000", "Reported by the CLI.", "Over 75%", "cost $1.00",
  ]) {
    expect(tip).toHaveTextContent(words);
  }
});

test("it opens to what fills the window, and compacts", async () => {
  const user = userEvent.setup();
  const fake = host();
  await renderApp(fake, () => <Meter sessionId="s1" />);
  await user.tab();
  await user.keyboard("{Enter}");
  const panel = await screen.findByRole("dialog", { name: "Context window" });
  const table = await within(panel).findByRole("table", { name: "Context breakdown" });
  expect(within(table).getAllByRole("row").map((row) => row.textContent)).toEqual([
    "System prompt2,3391%", "Tools10,2225%", "MCP tools8,1404%", "Memory files3,2532%", "Skills2,0671%", "Messages60,37930%",
    "Reserved for the summary33,00017%", "Free80,60040%",
  ]);
  expect(panel).toHaveTextContent("The parts are estimates by the CLI");
  await user.click(within(panel).getByText("Memory files", { selector: "summary *" }));
  expect(within(panel).getByTitle("/home/ada/projects/parley/CLAUDE.md")).toHaveTextContent("CLAUDE.md Project2,840");
  await user.type(within(panel).getByRole("textbox"), "  the   plan{Enter}");
  await vi.waitFor(() =>
    expect(fake.callsOf("session.prompt")).toEqual([expect.objectContaining({ sessionId: "s1", text: "/compact the plan", delivery: "queue" })]),
  );
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("without a process it has the last answer's figures and says so", async () => {
  const user = userEvent.setup();
  await renderApp(host({ pid: 0 }, { "usage.context": () => contextReport({ live: false, categories: [], total: 0, window: 0 }) }), () => <Meter sessionId="s1" />);
  await user.click(screen.getByRole("button"));
  const panel = await screen.findByRole("dialog", { name: "Context window" });
  expect(await within(panel).findByText(/process isn’t running/)).toBeInTheDocument();
  expect(within(panel).getByRole("table", { name: "Context breakdown" })).toHaveTextContent("Cache read140,000");
});

test("clearing asks first", async () => {
  const user = userEvent.setup();
  const fake = host({}, { "session.clearContext": ({ sessionId }) => session(sessionId) });
  await renderApp(fake, () => <Meter sessionId="s1" />);
  await user.click(screen.getByRole("button"));
  await user.click(await screen.findByRole("button", { name: "Clear context…" }));
  expect(fake.callsOf("session.clearContext")).toHaveLength(0);
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await user.click(screen.getByRole("button", { name: "Clear context…" }));
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(fake.callsOf("session.clearContext")).toEqual([{ sessionId: "s1" }]);
});

test.each([
  { time: "noon", hour: 12, reset: /^84%resets \d/ },
  { time: "the last hour of a day", hour: 23, reset: /^84%resets [A-Z][a-z]+ \d/ },
])("a plan’s limits are in sight at $time, with their resets, until they are renewed", async ({ hour, reset }) => {
  const now = new Date(2026, 5, 10, hour, 30).getTime();
  vi.useFakeTimers({ toFake: ["Date"], now });
  const limits = [
    { name: "Session", percent: 84, resetsAt: now + 3_600_000 },
    { name: "Week", percent: 31.4, resetsAt: now + 3 * 86_400_000 },
    { name: "Opus", percent: 12, resetsAt: now - 1 },
    { name: "Extra", percent: 0.4, resetsAt: 0 },
  ];
  const fake = host({}, { "usage.limits": () => ({ limits, at: now }) });
  await renderApp(fake, () => <Meter sessionId="s1" />);
  const meter = await screen.findByRole("button", { name: /, 5h 84%, Week 31% of plan limits$/ });
  expect(meter.querySelector("[data-slot=plan]")).toHaveTextContent(/^5h 84% Week 31%$/);
  expect(meter.querySelector("[data-slot=plan] [data-level=warning]")).toHaveTextContent("5h 84%");
  await userEvent.setup().click(meter);
  const list = within(await screen.findByRole("region", { name: "Plan limits" }));
  expect(list.getByText("5 hours").nextElementSibling).toHaveTextContent(reset);
  expect(list.getByText("Extra usage").nextElementSibling).toHaveTextContent(/^<1%$/);
  expect(list.queryByText("Week, Opus")).toBeNull();
  expect(list.getByText(/^As reported by the CLI at /)).toBeInTheDocument();
});

test("without a subscription nothing is shown of limits", async () => {
  const fake = host({}, { "usage.limits": () => ({ limits: [], at: 0 }) });
  await renderApp(fake, () => <Meter sessionId="s1" />);
  await vi.waitFor(() => expect(fake.callsOf("usage.limits")).not.toHaveLength(0));
  expect(document.querySelector("[data-slot=plan]")).toBeNull();
});
