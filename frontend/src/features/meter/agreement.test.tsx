import { cleanup, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { session } from "../../../gallery/fixtures";
import { contextReport, usageHandlers } from "../../../gallery/usage";
import type { Context, TurnResult } from "../../host/border.gen";
import { createFakeHost } from "../../host/fake";
import { formatTokens } from "../../lib/time";
import { renderApp } from "../../test/render";
import { TurnFooter } from "../timeline/TurnFooter";
import { ContextView } from "./ContextView";
import { context, unsized } from "./gallery";
import { Meter } from "./Meter";
import { percent } from "./parts";

afterEach(cleanup);

/** Context readings of a conversation, call by call: during its first turn the window may be unknown. */
const conversations: Context[][] = Array.from({ length: 20 }, (_, i) => {
  const window = i % 3 === 0 ? 1_000_000 : 200_000;
  const calls = Array.from({ length: 1 + (i % 4) }, (_, call) => Math.round((window * (i + 1) * (call + 1)) / 100) + i * 37);
  return calls.map((used, call) => (call === 0 && i % 2 === 0 ? unsized(used) : context(used, window, used / window >= 0.75 ? "critical" : used / window >= 0.6 ? "warning" : "ok")));
});

/** The turn's result for these calls: every step reads the conversation again. */
function resultOf(calls: readonly Context[]): TurnResult {
  const sum = (of: (call: Context) => number) => calls.reduce((all, call) => all + of(call), 0);
  return {
    isError: false, stopped: false, durationMs: 1000, ttftMs: 100, costUSD: 0.1, numTurns: calls.length,
    usage: { inputTokens: sum((c) => c.inputTokens), cacheReadTokens: sum((c) => c.cacheReadTokens), cacheCreationTokens: sum((c) => c.cacheCreationTokens), outputTokens: sum((c) => c.outputTokens) },
  };
}

test.each(conversations.map((calls, i) => [i, calls] as const))("conversation %i: header, popover, panel and footer have one set of figures", async (_, calls) => {
  const user = userEvent.setup();
  const host = createFakeHost({
    "session.list": () => ({ sessions: [session("s1", { pid: 7, context: null })], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    ...usageHandlers,
    // The CLI's own total differs, and must not be shown as the total.
    "usage.context": () => contextReport({ total: 123_456 }),
  });
  await renderApp(host, () => (
    <>
      <Meter sessionId="s1" />
      <section aria-label="Panel">
        <ContextView sessionId="s1" />
      </section>
      <TurnFooter result={resultOf(calls)} />
    </>
  ));
  const meter = screen.getByRole("button", { name: /^Context/ });
  expect(meter).not.toHaveTextContent(/\d/);
  expect(meter).toHaveAttribute("data-level", "none");

  let seq = 0;
  for (const now of calls) {
    host.emit({ event: "context_update", payload: { sessionId: "s1", seq: ++seq, at: seq, ...now } });
    const used = formatTokens(now.used);
    const share = now.percent === undefined ? "" : percent(now.percent);
    const figures = now.window === undefined ? used : `${used} / ${formatTokens(now.window)} · ${share}`;
    const whole = now.window === undefined ? `${used} tokens` : `${used} of ${formatTokens(now.window)} tokens, ${share}`;
    expect(meter.querySelector("[data-slot=figures]")).toHaveTextContent(figures);
    expect(meter).toHaveAttribute("data-level", now.level ?? "none");
    expect(await within(screen.getByRole("region", { name: "Panel" })).findByText(whole, { exact: false })).toBeVisible();

    await user.click(meter);
    const popover = await screen.findByRole("dialog", { name: "Context window" });
    expect(await within(popover).findByText(whole, { exact: false })).toBeVisible();
    for (const place of [meter, screen.getByRole("region", { name: "Panel", hidden: true }), popover]) {
      expect(place).not.toHaveTextContent("123");
      // While the window size is unknown, no share of it is shown.
      expect(place.querySelector("[data-slot=figures], [data-slot=total]")?.textContent?.includes("%")).toBe(now.window !== undefined);
    }
    await user.keyboard("{Escape}");
  }

  // The footer is about the turn: what its steps read and wrote, which equals the context for a single step.
  const { usage } = resultOf(calls);
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheCreationTokens;
  expect(read + usage.outputTokens).toBe(calls.reduce((all, call) => all + call.used, 0));
  const footer = document.querySelector('[data-component="turn-footer"]');
  expect(footer).toHaveTextContent(`${formatTokens(read)} tokens in, ${formatTokens(usage.outputTokens)} out${calls.length > 1 ? `, ${calls.length} steps` : ""}`);
  expect(footer).not.toHaveTextContent("%");
});

