import { cleanup, fireEvent, render, screen } from "@solidjs/testing-library";
import { Show } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { formatClock } from "../../lib/time";
import { activityOf } from "../../store/state";
import { StateDot } from "../session/StateDot";
import { renderApp } from "../../test/render";
import { ActivityLine } from "./ActivityLine";
import { MessageView } from "./Message";
import type { Scope } from "../../store/scope";

const start = new Date(2026, 10, 21, 15, 30, 0).getTime();
let host: FakeHost;
let seq: number;

beforeEach(() => {
  vi.useFakeTimers({ now: start });
  seq = 0;
  host = createFakeHost({
    "session.list": () => ({ sessions: [session("s")], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** The activity and the last message of a session, updated by events. */
async function draw(): Promise<void> {
  const app = await renderApp(host, ({ state }) => {
    const conversation = () => state.conversations["s"];
    const scope = { sessionId: "s", get conversation() { return conversation(); }, cwd: "", asking: () => false, task: () => undefined } as unknown as Scope;
    return (
      <main>
        <Show when={activityOf(conversation(), state.sessions["s"])}>{(activity) => <ActivityLine activity={activity()} />}</Show>
        <Show when={conversation()?.order.at(-1)}>{(id) => <MessageView id={id()} scope={scope} />}</Show>
      </main>
    );
  });
  app.actions.open("s");
  await vi.advanceTimersByTimeAsync(0);
}
const tell = (event: string, payload: object) => host.emit({ event, payload: { sessionId: "s", seq: ++seq, at: Date.now(), ...payload } } as never);
const shown = () => screen.getByRole("main").textContent ?? "";

test("a call that failed is tried again: how long that is goes down second by second", async () => {
  await draw();
  tell("status", { status: "retrying", retry: { attempt: 2, maxRetries: 10, delayMs: 61_500, httpStatus: 529, error: "overloaded" } });
  expect(shown()).toContain("The API returned error 529. Retrying in 1 m 02 s (2 of 10)");
  const seen: string[] = [];
  for (let i = 0; i < 4; i++) {
    await vi.advanceTimersByTimeAsync(1000);
    seen.push(/Retrying in (.*) \(/.exec(shown())?.[1] ?? "");
  }
  expect(seen).toEqual(["1 m 01 s", "1 m 00 s", "59 s", "58 s"]);
  await vi.advanceTimersByTimeAsync(57_000);
  expect(shown()).toContain("Retrying in 1 s (2 of 10)");
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown()).toContain("Retrying now (2 of 10)");

  tell("status", { status: "retrying", retry: { attempt: 3, maxRetries: 10, delayMs: 2000, httpStatus: 0, error: "" } });
  expect(shown()).toContain("Couldn’t reach the API. Retrying in 2 s (3 of 10)");
  tell("status", { status: "idle" });
  expect(shown()).toBe("");
  expect(vi.getTimerCount()).toBeLessThan(5);
});

test("a limit says when it ends, by the clock and how long that is, and that it ended", async () => {
  await draw();
  const resetsAt = start + 2 * 3_600_000 + 90_000;
  tell("status", { status: "notice", message: "You are near the limit of five hours.", resetsAt });
  const at = formatClock(resetsAt);
  expect(shown()).toBe(`You are near the limit of five hours. The limit resets at ${at} (in 2 h 01 m).`);
  tell("error", { code: "rate_limited", message: "The limit is reached.", resetsAt });
  tell("status", { status: "idle" });
  expect(shown()).toContain(`The limit resets at ${at} (in 2 h 01 m).`);
  await vi.advanceTimersByTimeAsync(resetsAt - Date.now() - 65_500);
  expect(shown()).toContain(`The limit resets at ${at} (in 1 m 05 s).`);
  await vi.advanceTimersByTimeAsync(6000);
  expect(shown()).toContain("in 59 s");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown()).toContain(`The limit reset at ${at}.`);
});

test("one that ends on another day says which", async () => {
  await draw();
  // Today is a Saturday; it resets on Monday.
  const resetsAt = new Date(2026, 10, 23, 9, 0, 30).getTime();
  tell("error", { code: "rate_limited", message: "The limit of the week is reached.", resetsAt });
  expect(shown()).toMatch(/The limit resets at Mon .* \(in 41 h 30 m\)\./);
  vi.setSystemTime(start + 35 * 3_600_000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown()).toContain(`The limit resets at ${formatClock(resetsAt)} (in 6 h 30 m).`);
  expect(shown()).not.toContain("Mon");
});

test("a page that comes later reads it in the record, and the list says so until the turn continues", async () => {
  const retry = { attempt: 2, maxRetries: 10, delayMs: 61_500, until: start + 30_000, httpStatus: 429, error: "rate_limit" };
  host.on("session.list", () => ({ sessions: [session("s", { state: "running", retry })], total: 1 }));
  await draw();
  expect(shown()).toContain("The API returned error 429. Retrying in 30 s (2 of 10)");
  const dot = render(() => <StateDot session={session("s", { state: "running", retry })} />);
  expect(dot.getByRole("img", { name: "Waiting to retry" })).toHaveAttribute("data-state", "retrying");
  tell("state", { session: session("s", { state: "running" }) });
  expect(shown()).not.toContain("Retrying");
});

test("a session whose limit was reached continues when it resets, as often and as far as the user says", async () => {
  const saved: unknown[] = [];
  host.on("heartbeat.save", (params) => {
    saved.push(params.spec);
    return params.spec as never;
  });
  await draw();
  const resetsAt = start + 600_000;
  tell("error", { code: "rate_limit", message: "API Error: 429", resetsAt });
  tell("status", { status: "idle" });
  expect(shown()).toContain("Usage limit reached");
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
  const choose = (label: string, value: string) => fireEvent.change(screen.getByRole("combobox", { name: label }), { target: { value } });
  press(`Continue at ${formatClock(resetsAt + 60_000)}`);
  press("Cancel");
  expect(screen.queryByRole("combobox")).toBeNull();
  press(`Continue at ${formatClock(resetsAt + 60_000)}`);
  choose("If the limit is reached again", "3");
  choose("Stop each time after", "50");
  choose("Or when it has cost", "5");
  expect(saved).toEqual([]);
  fireEvent.submit(screen.getByRole("form", { name: `Continue at ${formatClock(resetsAt + 60_000)}` }));
  await vi.advanceTimersByTimeAsync(0);
  expect(saved).toEqual([expect.objectContaining({
    schedule: { runAt: new Date(resetsAt + 60_000).toISOString().replace(".000Z", "Z") }, destination: { session: "s" },
    enabled: true, missed: "once", again: 3, timeout: "4h", budgets: { run: { turns: 50, usd: 5 } },
  })]);
  expect(screen.getByRole("status").textContent).toContain(`Parley continues at ${formatClock(resetsAt + 60_000)}.`);
  expect(screen.queryByRole("button", { name: /^Continue at/ })).toBeNull();
});

test("nothing is offered for a limit that has been reset", async () => {
  await draw();
  tell("error", { code: "rate_limit", message: "API Error: 429", resetsAt: start - 1000 });
  tell("status", { status: "idle" });
  expect(shown()).toContain("Usage limit reached");
  expect(screen.queryByRole("button", { name: /^Continue at/ })).toBeNull();
});
