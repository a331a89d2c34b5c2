import { cleanup, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { ProcessInfo } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { ProcessesPlace } from "./ProcessesPlace";
import { groups, share } from "./tree";

const process = (pid: number, change: Partial<ProcessInfo> = {}): ProcessInfo => ({
  pid, kind: "cli", name: "claude", sessionId: `s${pid}`, title: `Session ${pid}`, engine: "cli", startedAt: pid, cpuPercent: 1, cpuMs: 1,
  bytes: 100, state: "idle", ...change,
});

test("what descends from a CLI stands under it, with the sums", () => {
  const made = groups([
    process(30, { kind: "descendant", sessionId: "s10", bytes: 50, cpuPercent: 9 }),
    process(20),
    process(10),
    process(40, { kind: "descendant", sessionId: "gone" }),
    process(5, { kind: "probe", sessionId: "" }),
  ]);
  expect(made.map((g) => [g.pid, g.below.map((p) => p.pid), g.bytes, g.cpuPercent])).toEqual([
    [5, [], 100, 1],
    [10, [30], 150, 10],
    [20, [], 100, 1],
    [40, [], 100, 1],
  ]);
});

test.each([
  [0, 100, 0],
  [50, 100, 0.5],
  [100, 100, 1],
  [200, 100, 1],
  [9, 0, 0],
])("%i of %i is a share of %f", (part, whole, want) => expect(share(part, whole)).toBe(want));

let host: FakeHost;
let list: ProcessInfo[];
beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  list = [process(10), process(30, { kind: "descendant", sessionId: "s10", name: "go test" }), process(20, { title: "" })];
  host = createFakeHost({
    "session.list": () => ({ sessions: [session("s10")], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "process.list": () => ({ self: process(1, { kind: "parley", name: "parley", sessionId: "" }), processes: structuredClone(list), orphans: 2, held: "cgroup" }),
    "process.end": ({ pid }) => {
      list = list.filter((p) => p.pid !== pid);
      return {};
    },
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function draw() {
  const app = await renderApp(host, () => <ProcessesPlace />);
  expect(host.callsOf("process.list")).toHaveLength(0);
  app.layout.go({ kind: "processes" });
  const sessions = await screen.findByRole("list", { name: "Sessions" });
  return { app, sessions, user: userEvent.setup({ advanceTimers: vi.advanceTimersByTime }) };
}

test("is read every two seconds while it is open, and a row stays the same row", async () => {
  const { app, sessions } = await draw();
  expect(screen.getByText("2 leftover processes of an earlier Parley were ended at startup.")).toBeInTheDocument();
  expect(screen.getByText(/^The system groups all processes/)).toBeInTheDocument();
  const row = within(sessions).getByText("go test").closest("li");
  list[1]!.cpuPercent = 55;
  await vi.advanceTimersByTimeAsync(2000);
  expect(row).toHaveTextContent("55%");
  expect(row?.isConnected).toBe(true);
  app.layout.close("place:processes");
  await vi.advanceTimersByTimeAsync(100);
  const calls = host.callsOf("process.list").length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(host.callsOf("process.list")).toHaveLength(calls);
});

test("ends a process after asking, and not without", async () => {
  const { sessions, user } = await draw();
  await user.click(within(sessions).getByRole("button", { name: "End go test" }));
  const ask = await screen.findByRole("alertdialog", { name: "End go test?" });
  await user.click(within(ask).getByRole("button", { name: "Keep" }));
  expect(host.callsOf("process.end")).toEqual([]);
  await user.click(within(sessions).getByRole("button", { name: "End go test" }));
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "End" }));
  await vi.waitFor(() => expect(within(sessions).queryByText("go test")).toBeNull());
  expect(host.callsOf("process.end")).toEqual([{ pid: 30 }]);
});

test("leads to the session, and says why there is nothing", async () => {
  const { app, sessions, user } = await draw();
  host.on("process.list", () => {
    throw new HostError("internal", "The processes could not be read.");
  });
  await vi.advanceTimersByTimeAsync(2000);
  expect(await screen.findByRole("alert")).toHaveTextContent("The processes could not be read.");
  await user.click(within(sessions).getByRole("button", { name: "Session 10" }));
  expect(app.state.current).toBe("s10");
  // A hidden page makes no requests.
  const asked = host.callsOf("process.list").length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(host.callsOf("process.list")).toHaveLength(asked);
});
