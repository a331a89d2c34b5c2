import { screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { info } from "../../../gallery/fixtures";
import type { Settings, WindowClosing } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import type { App } from "../../store/context";
import { renderApp } from "../../test/render";
import { ClosingQuestion } from "./ClosingQuestion";

async function draw(kind: "window" | "gateway" = "window"): Promise<{ app: App; host: FakeHost; ask: (change?: Partial<WindowClosing>) => void }> {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "window.answer": () => ({}),
  });
  Object.assign(host, { kind });
  const app = await renderApp(host, () => <ClosingQuestion />);
  const work = [{ sessionId: "a", title: "Fix the upload", state: "working" }];
  const ask = (change: Partial<WindowClosing> = {}) =>
    host.emitGlobal({ event: "window.closing", payload: { serial: 1, working: 1, waiting: 0, tray: false, work, ...change } });
  return { app, host, ask };
}

it.each([
  ["Enter", "background"],
  ["Escape", "cancel"],
] as const)("%s answers %s", async (key, answer) => {
  const { host, ask } = await draw();
  ask();
  await screen.findByRole("dialog", { name: "1 session is working" });
  expect(host.callsOf("window.answer")).toEqual([{ serial: 1, answer: "shown" }]);
  await vi.waitFor(() => expect(screen.getByRole("button", { name: "Keep working in the background" })).toHaveFocus());
  await userEvent.keyboard(`{${key}}`);
  expect(host.callsOf("window.answer").at(-1)).toEqual({ serial: 1, answer });
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  // The program may repeat the event before it receives the answer.
  ask();
  expect(screen.queryByRole("dialog")).toBeNull();
  // The next one is a new question.
  ask({ serial: 2 });
  await screen.findByRole("dialog");
});

it.each([
  ["Keep working in the background", "background"],
  ["Stop and quit", "quit"],
] as const)("keeps “%s” before it answers, where that is wished", async (button, answer) => {
  const { app, host, ask } = await draw();
  let keep: () => void = () => {};
  host.on("settings.set", (patch) => new Promise((resolve) => (keep = () => resolve({ ...info().settings, ...patch } as Settings))));
  ask();
  await userEvent.click(await screen.findByRole("checkbox", { name: "Don’t ask again" }));
  // Its content may change while it is open.
  ask({ waiting: 1 });
  await userEvent.click(screen.getByRole("button", { name: button }));
  expect(host.callsOf("settings.set")).toEqual([{ closeWhileWorking: answer }]);
  expect(host.callsOf("window.answer").map((p) => p.answer)).not.toContain(answer);
  keep();
  await vi.waitFor(() => expect(host.callsOf("window.answer").at(-1)).toEqual({ serial: 1, answer }));
  expect(app.state.info?.settings.closeWhileWorking).toBe(answer);
});

it("answers, too, where that cannot be kept; cancelling is never kept, and the next question begins without it", async () => {
  const { app, host, ask } = await draw();
  host.on("settings.set", () => {
    throw new HostError("internal", "The disk is full.");
  });
  ask();
  await userEvent.click(await screen.findByRole("checkbox", { name: "Don’t ask again" }));
  await userEvent.keyboard("{Escape}");
  expect(host.callsOf("window.answer").at(-1)).toEqual({ serial: 1, answer: "cancel" });
  expect(host.callsOf("settings.set")).toEqual([]);
  ask({ serial: 2 });
  const box = await screen.findByRole("checkbox", { name: "Don’t ask again" });
  expect(box).not.toBeChecked();
  await userEvent.click(box);
  await userEvent.click(screen.getByRole("button", { name: "Stop and quit" }));
  await vi.waitFor(() => expect(host.callsOf("window.answer").at(-1)).toEqual({ serial: 2, answer: "quit" }));
  expect(app.state.problem?.message).toBe("The disk is full.");
});

it("stops only where that is pressed", async () => {
  const { host, ask } = await draw();
  ask();
  await userEvent.click(await screen.findByRole("button", { name: "Stop and quit" }));
  expect(host.callsOf("window.answer").at(-1)).toEqual({ serial: 1, answer: "quit" });
});

it("says what continues at every moment, and how the window comes back", async () => {
  const { ask, host } = await draw();
  const work = [
    { sessionId: "b", title: "", state: "waiting" },
    { sessionId: "a", title: "Fix the upload", state: "working" },
    { sessionId: "", title: "nightly", state: "working", heartbeat: "nightly" },
  ];
  ask({ working: 24, waiting: 1, work });
  const dialog = await screen.findByRole("dialog", { name: "24 sessions are working, 1 waiting for your answer" });
  expect(within(dialog).getAllByRole("listitem").map((row) => row.textContent)).toEqual([
    "New sessionWaiting for you", "Fix the uploadWorking", "nightlyHeartbeat", "22 more",
  ]);
  expect(dialog).toHaveTextContent("To open the window again, start Parley. Parley also keeps running until you answer pending requests.");
  ask({ working: 0, waiting: 2, tray: true });
  expect(dialog).toHaveAccessibleName("2 sessions are waiting for your answer");
  expect(dialog).toHaveTextContent("The tray icon opens the window again.");
  ask({ working: 0, waiting: 0, work: [] });
  expect(dialog).toHaveAccessibleName("Everything has finished");
  expect(within(dialog).queryByRole("button", { name: "Stop and quit" })).toBeNull();
  expect(within(dialog).queryByRole("checkbox")).toBeNull();
  host.emitGlobal({ event: "window.closing", payload: { serial: 0, working: 0, waiting: 0, tray: false, work: [] } });
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("says why an answer was not taken, but not that nobody hears that it is shown", async () => {
  const { app, host, ask } = await draw();
  host.on("window.answer", () => {
    throw new HostError("conflict", "This request is no longer open.");
  });
  ask();
  await screen.findByRole("dialog");
  expect(app.state.problem).toBeNull();
  await userEvent.keyboard("{Escape}");
  await vi.waitFor(() => expect(app.state.problem?.message).toBe("This request is no longer open."));
});

it("is nothing for a page in a browser", async () => {
  const { host, ask } = await draw("gateway");
  ask();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(host.callsOf("window.answer")).toEqual([]);
});
