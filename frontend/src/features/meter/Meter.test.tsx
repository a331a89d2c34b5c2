import { cleanup, render, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { context } from "./gallery";
import { MeterView } from "./Meter";

afterEach(cleanup);

test("before the first call there is a dash", () => {
  render(() => <MeterView context={null} totalCostUSD={0} />);
  const meter = screen.getByRole("button", { name: "Context: not known before the first answer" });
  expect(meter).toHaveTextContent("—");
  expect(meter).not.toHaveTextContent("$");
});

test("used, window and percent are in view, with the cost", () => {
  render(() => <MeterView context={context(86_400, 1_000_000, "ok")} totalCostUSD={0.4233} />);
  const meter = screen.getByRole("button", { name: "Context: 86k of 1M tokens used, 9%" });
  expect(meter).toHaveTextContent("86k / 1M · 9%$0.42");
  expect(meter).toHaveAttribute("data-level", "ok");
});

test.each(["warning", "critical"] as const)("the level is the back end's: %s", (level) => {
  render(() => <MeterView context={context(1, 1_000_000, level)} totalCostUSD={0} />);
  expect(screen.getByRole("button")).toHaveAttribute("data-level", level);
});

test("the keyboard reaches the four figures and where the window comes from", async () => {
  const user = userEvent.setup();
  render(() => <MeterView context={context(160_000, 200_000, "critical")} totalCostUSD={1} />);
  await user.tab();
  const tip = await screen.findByRole("tooltip");
  for (const words of [
    "New input1,200", "Read from the cache140,000", "Written to the cache18,000", "Answer800",
    "Used160,000", "Window200,000", "The CLI says so.", "Over 75 %", "cost $1.00",
  ]) {
    expect(tip).toHaveTextContent(words);
  }
});
