import { cleanup, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { info, session } from "../../../gallery/fixtures";
import { brokenUsage, noUsage, usageHandlers, withBudgets } from "../../../gallery/usage";
import { createFakeHost, type Handlers } from "../../host/fake";
import { HostError } from "../../host/host";
import { setLanguage } from "../../i18n";
import { renderApp } from "../../test/render";
import { BudgetBanner } from "./BudgetBanner";
import { costIn, csvOf, daysBetween, firstDay, seriesOf } from "./model";
import { SessionUsage } from "./SessionUsage";
import { UsagePage } from "./UsagePage";

afterEach(cleanup);
// jsdom has no canvas; the table has the same values.
beforeEach(() => void vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null));

const row = (change: object) => ({
  day: "2026-11-20", sessionId: "", title: "", gone: false, workspaceId: "", workspace: "", model: "opus", answers: 1,
  tokens: { inputTokens: 10, cacheReadTokens: 60, cacheCreationTokens: 30, outputTokens: 5 }, costUSD: 0.5, unpriced: 0, ...change,
});

const host = (more: Handlers = {}) =>
  createFakeHost({
    "session.list": () => ({ sessions: [session("s1", { title: "One" })], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    ...usageHandlers,
    ...more,
  });

describe("the model", () => {
  it("counts days across months and changes of the clock", () => {
    expect(firstDay("7", "2026-11-03")).toBe("2026-10-28");
    expect(firstDay("all", "2026-11-03")).toBe("");
    expect(daysBetween("2026-10-24", "2026-10-27")).toEqual(["2026-10-24", "2026-10-25", "2026-10-26", "2026-10-27"]);
  });

  it("puts what is beyond the colours into one series", () => {
    const rows = Array.from({ length: 9 }, (_, i) => row({ model: `m${i}`, costUSD: 9 - i }));
    const series = seriesOf(rows, ["2026-11-19", "2026-11-20"], "model", "cost");
    expect(series.map((s) => s.name)).toEqual(["m0", "m1", "m2", "m3", "m4", "Other"]);
    expect(series.at(-1)?.values).toEqual([0, 4 + 3 + 2 + 1]);
  });

  it("never guesses a cost", () => {
    expect(costIn(row({}))).toBe("$0.50");
    expect(costIn(row({ costUSD: 0 }))).toBe("$0.00");
    expect(costIn(row({ costUSD: 0, unpriced: 105 }))).toBe("no price");
  });

  it("writes a CSV that no spreadsheet runs", () => {
    const csv = csvOf([row({ title: '=1+1,"x"', sessionId: "s" }), row({ title: "b", unpriced: 3 })], "session");
    expect(csv.split("\r\n")).toEqual([
      "session,answers,input_tokens,cache_read_tokens,cache_creation_tokens,output_tokens,total_tokens,reported_cost_usd,tokens_without_price",
      `"'=1+1,""x""",1,10,60,30,5,105,0.5,0`,
      "b,1,10,60,30,5,105,0.5,3",
      "",
    ]);
  });
});

describe("the page", () => {
  it("saves the figures through the window, which downloads nothing, and says when that fails", async () => {
    const user = userEvent.setup();
    const saved: string[] = [];
    const fake = host({
      "file.save": ({ name, content }) => {
        saved.push(name, content.split(",")[0] ?? "");
        if (saved.length > 2) throw new HostError("unavailable", "The disk is full.");
        return { path: "/x" };
      },
    });
    await renderApp({ ...fake, kind: "window" }, () => <UsagePage />);
    await user.click(await screen.findByRole("button", { name: "Save as CSV" }));
    expect(saved).toEqual(["parley-usage-by-day.csv", "day"]);
    await user.click(screen.getByRole("button", { name: "Save as CSV" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
  });

  it("lists by what is chosen, in the time that is chosen, and goes to a session", async () => {
    const user = userEvent.setup();
    const fake = host();
    const app = await renderApp(fake, () => <UsagePage />);
    const table = await screen.findByRole("table");
    expect(within(table).getAllByRole("row")[1]).toHaveTextContent("Sat, Nov 21, 2026");
    expect(fake.callsOf("usage.query").some((q) => q.from === "2026-10-23" && q.groupBy.join() === "day")).toBe(true);
    await user.click(screen.getByRole("radio", { name: "90 days" }));
    await user.click(screen.getByRole("radio", { name: "Session" }));
    await vi.waitFor(() => expect(fake.callsOf("usage.query").at(-1)).toEqual({ groupBy: ["session"], from: "2026-08-24", limit: 1000 }));
    expect(await screen.findByText("Unlisted conversation")).toBeInTheDocument();
    expect(screen.getAllByText(/tokens without a price/)[0]).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Open Retry the upload when the link drops" }));
    expect(app.state.current).toBe("s1");
  });

  it("copies the figures", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <UsagePage />);
    await user.click(await screen.findByRole("button", { name: "Copy as CSV" }));
    expect(await navigator.clipboard.readText()).toMatch(/^day,answers,/);
    expect(await screen.findByRole("button", { name: "Copied" })).toBeInTheDocument();
  });

  it("says that there is nothing, and that it failed", async () => {
    await renderApp(host(noUsage), () => <UsagePage />);
    expect(await screen.findByText("No usage yet.")).toBeInTheDocument();
    cleanup();
    const user = userEvent.setup();
    const broken = host(brokenUsage);
    await renderApp(broken, () => <UsagePage />);
    expect(await screen.findByRole("alert")).toHaveTextContent("Free some disk space.");
    broken.on("usage.query", usageHandlers["usage.query"]!);
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("table")).toBeInTheDocument();
  });

  it("reads again when the accounts change", async () => {
    const fake = host();
    await renderApp(fake, () => <UsagePage />);
    await screen.findByRole("table");
    const before = fake.callsOf("usage.query").length;
    fake.emitGlobal({ event: "usage.changed", payload: { budgets: [], reached: [] } });
    await vi.waitFor(() => expect(fake.callsOf("usage.query").length).toBeGreaterThan(before));
  });

  it("is there in German", async () => {
    await setLanguage("de");
    try {
      await renderApp(host(), () => <UsagePage />);
      expect(await screen.findByRole("columnheader", { name: "Gemeldete Kosten" })).toBeInTheDocument();
    } finally {
      await setLanguage("en");
    }
  });
});

describe("budgets", () => {
  const budgeted = { settings: { ...info().settings, ...withBudgets } };

  it("are set on the page, and what is no number is refused", async () => {
    const user = userEvent.setup();
    const fake = host({ "settings.set": (patch) => ({ ...budgeted.settings, ...patch }) as never });
    await renderApp(fake, () => <UsagePage />, budgeted);
    const field = await screen.findByRole("spinbutton", { name: "Dollars per month" });
    await user.clear(field);
    await user.type(field, "25.5{Enter}");
    await vi.waitFor(() => expect(fake.callsOf("settings.set")).toEqual([{ budgetMonthUSD: 25.5 }]));
    const tokens = screen.getByRole("spinbutton", { name: "Tokens per day" });
    await user.clear(tokens);
    await user.type(tokens, "-4{Enter}");
    expect(await screen.findByText("Enter 0 or more.")).toBeInTheDocument();
    expect(fake.callsOf("settings.set")).toHaveLength(1);
  });

  it("are told of until they are dismissed, and again at the next level", async () => {
    const user = userEvent.setup();
    const fake = host();
    await renderApp(fake, () => <BudgetBanner />, budgeted);
    expect(await screen.findByRole("status")).toHaveTextContent("More than 80% of today’s budget is used. $10.40 of $12.00. Sessions keep running.");
    await user.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("status")).toBeNull();
    const budget = { name: "day-usd", period: "2026-11-21", limit: 12, used: 13, level: 100 };
    fake.emitGlobal({ event: "usage.changed", payload: { budgets: [budget], reached: [budget] } });
    expect(await screen.findByRole("status")).toHaveTextContent("Today’s budget is used up.");
  });

  it("say nothing when none is set or nobody answers", async () => {
    const fake = host({
      "usage.budgets": () => {
        throw new HostError("unavailable", "no");
      },
    });
    await renderApp(fake, () => <BudgetBanner />);
    expect(screen.queryByRole("status")).toBeNull();
    expect(fake.callsOf("usage.budgets")).toHaveLength(0);
  });
});

it("says what a session used, and leads to the rest", async () => {
  const user = userEvent.setup();
  const fake = host();
  const app = await renderApp(fake, () => <SessionUsage sessionId="s1" />);
  expect((await screen.findAllByRole("listitem"))[0]).toHaveTextContent(/^Opus 5.5\d+(\.\d)?M tokens\$/);
  expect(fake.callsOf("usage.query")).toEqual([{ groupBy: ["model"], sessionId: "s1" }]);
  await user.click(screen.getByRole("button", { name: "Show all usage and cost" }));
  expect(app.layout.shows("usage")).toBe(true);
});
