import { fireEvent, screen } from "@solidjs/testing-library";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { DemoTour } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { openQuestion } from "../approval/gallery";
import { TourSteps } from "./TourSteps";

const steps = [
  { id: "welcome", prompt: "Show me around." },
  { id: "command", prompt: "Run something." },
  { id: "undo", prompt: "Undo that." },
  { id: "new here", prompt: "Juggle." },
  { id: "end", prompt: "What now?" },
];
let host: FakeHost;
let tour: DemoTour;

async function draw(change: Parameters<typeof session>[1] = {}) {
  const sessions = [session("s", { rehearsal: true, ...change })];
  host = createFakeHost({
    "session.list": () => ({ sessions, total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "session.prompt": () => ({ turnId: "t" }),
    "demo.tour": () => tour,
  });
  return await renderApp(host, ({ actions }) => {
    actions.open("s");
    return <TourSteps sessionId="s" />;
  });
}
const button = (name: string) => screen.findByRole("button", { name });
const none = () => expect(screen.queryByRole("group", { name: "Tour" })).toBeNull();

beforeEach(() => (tour = { steps, next: "command" }));

describe("the tour's next step", () => {
  it("is a button that sends its prompt, once", async () => {
    await draw();
    const next = await button("Next: run a command");
    let answer = (_: { turnId: string }) => {};
    host.on("session.prompt", () => new Promise((resolve) => (answer = resolve)));
    fireEvent.click(next);
    fireEvent.click(next);
    fireEvent.click(await button("Skip tour"));
    expect(host.callsOf("session.prompt").map((p) => p.text)).toEqual(["Run something."]);
    answer({ turnId: "t" });
    await Promise.resolve();
    fireEvent.click(next);
    expect(host.callsOf("session.prompt")).toHaveLength(1);
  });

  it("has the same prompt id in every window, and another one later on", async () => {
    const ids: (string | undefined)[] = [];
    for (const _ of [1, 2]) {
      await draw();
      fireEvent.click(await button("Next: run a command"));
      ids.push(host.callsOf("session.prompt")[0]?.promptId);
      document.body.replaceChildren();
    }
    expect(ids[0]).toBeTruthy();
    expect(ids[0]).toBe(ids[1]);
  });

  it("can be skipped to the end, and the end leads to the start page", async () => {
    await draw();
    fireEvent.click(await button("Skip tour"));
    expect(host.callsOf("session.prompt").map((p) => p.text)).toEqual(["What now?"]);
    document.body.replaceChildren();
    tour = { steps, next: "" };
    const app = await draw();
    fireEvent.click(await button("Start a session"));
    expect(app.state.current).toBeNull();
  });

  it("is called by what it says where the page has no words for it", async () => {
    tour = { steps, next: "new here" };
    await draw();
    expect(await button("Next: Juggle.")).toBeVisible();
  });

  it("is not there for sessions that are not on the tour, nor while something is under way", async () => {
    tour = { steps: [], next: "" };
    await draw();
    await vi.waitFor(() => expect(host.callsOf("demo.tour")).toHaveLength(1));
    none();
    await draw({ rehearsal: false });
    await draw({ state: "running" });
    expect(host.callsOf("demo.tour")).toEqual([]);
    none();
  });

  it("goes while a question is open and comes back, read anew", async () => {
    await draw();
    await button("Next: run a command");
    const asked = openQuestion("q");
    host.emit({ event: "permission_request", payload: { ...asked, sessionId: "s", seq: 1, at: 1 } });
    none();
    tour = { steps, next: "undo" };
    host.emit({ event: "permission_resolved", payload: { sessionId: "s", seq: 2, at: 2, requestId: "q", outcome: "allow", by: "window" } });
    expect(await button("Undo the change")).toBeVisible();
  });

  it("says in its place what went wrong, and tries again", async () => {
    await draw();
    host.on("session.prompt", () => {
      throw new HostError("unavailable", "The disk is full.");
    });
    fireEvent.click(await button("Next: run a command"));
    expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
    host.on("session.prompt", () => ({ turnId: "t" }));
    fireEvent.click(await button("Next: run a command"));
    expect(host.callsOf("session.prompt")).toHaveLength(2);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("says so when it cannot be read", async () => {
    tour = { steps, next: "undo" };
    await draw();
    document.body.replaceChildren();
    let broken = true;
    const app = await draw();
    host.on("demo.tour", () => {
      if (broken) throw new HostError("internal", "It broke.");
      return tour;
    });
    host.emit({ event: "user_message", payload: { sessionId: "s", seq: 1, at: 1, messageId: "m", text: "Hello" } });
    expect(await screen.findByRole("alert")).toHaveTextContent("It broke.");
    broken = false;
    fireEvent.click(await button("Try again"));
    expect(await button("Undo the change")).toBeVisible();
    expect(app.state.problem).toBeNull();
  });
});
