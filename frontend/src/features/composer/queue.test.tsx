import { fireEvent, screen, within } from "@solidjs/testing-library";
import { describe, expect, it, vi } from "vitest";
import { event, session } from "../../../gallery/fixtures";
import type { QueuedPrompt } from "../../host/border.gen";
import { HostError } from "../../host/host";
import { draw, host } from "./test-composer";

describe("the queue", () => {
  const prompt = (id: string, text: string, state: string): QueuedPrompt => ({ promptId: id, turnId: `t-${id}`, text, state });
  // A store mutates the objects it is given.
  const all = () => [prompt("b", "second", "queued"), prompt("c", "third", "queued"), prompt("a", "first\nand more of it", "sent")];
  const rows = () => within(screen.getByRole("region", { name: "Queued prompts" })).getAllByRole("listitem");
  const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

  it("shows what waits in order, with what becomes of it", async () => {
    await draw({ state: "running", queued: all() });
    expect(rows().map((row) => row.textContent)).toEqual([
      "1first …Claude reads this at its next step",
      "2secondAfter this turn",
      "3thirdAfter this turn",
    ]);
    press("first …");
    expect(rows()[0]).toHaveTextContent("and more of it");
    expect(screen.queryByRole("button", { name: "Edit prompt 1" })).toBeNull();
    expect(screen.queryByRole("button", { name: /^Send (all|it)/ })).toBeNull();
  });

  it("says why one did not run or may have run, and sends each only for itself", async () => {
    const failed = { ...prompt("a", "first", "failed"), why: { code: "cli_missing", message: "No CLI was found.", hint: "Install it." } };
    await draw({ state: "failed", queued: [failed, prompt("b", "second", "unknown")] });
    expect(rows().map((row) => row.textContent)).toEqual([
      "1firstDidn’t runSend againNo CLI was found. Install it.",
      "2secondMay have runSend againParley or Claude quit while this prompt may have been running. Check the conversation, then send the prompt again or remove it.",
    ]);
    expect(screen.queryByRole("button", { name: /^Send (all|it)/ })).toBeNull();
    expect(screen.queryByRole("button", { name: "Edit prompt 2" })).toBeNull();
    press("Send prompt 2 again");
    expect(host.callsOf("session.sendQueued")).toEqual([{ sessionId: "s", promptId: "b" }]);
    press("Remove prompt 1");
    expect(host.callsOf("session.dropQueued")).toEqual([{ sessionId: "s", promptId: "a" }]);
  });

  it("changes one in place", async () => {
    await draw({ state: "running", queued: all() });
    press("Edit prompt 2");
    const field = screen.getByRole("textbox", { name: "Prompt 2" });
    await vi.waitFor(() => expect(field).toHaveFocus());
    fireEvent.input(field, { target: { value: "better" } });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(host.callsOf("session.editQueued")).toEqual([{ sessionId: "s", promptId: "b", text: "better" }]);
    await vi.waitFor(() => expect(screen.queryByRole("textbox", { name: "Prompt 2" })).toBeNull());
  });

  it("leaves one as it was with Esc, and interrupts nothing", async () => {
    await draw({ state: "running", queued: all() });
    press("Edit prompt 3");
    const field = screen.getByRole("textbox", { name: "Prompt 3" });
    fireEvent.input(field, { target: { value: "better" } });
    expect(fireEvent.keyDown(field, { key: "Escape" })).toBe(false);
    expect(screen.queryByRole("textbox", { name: "Prompt 3" })).toBeNull();
    expect(host.callsOf("session.editQueued")).toEqual([]);
  });

  it("keeps the changed text when the program refuses it", async () => {
    await draw({ state: "running", queued: all() });
    host.on("session.editQueued", () => {
      throw new HostError("conflict", "Claude has it already.");
    });
    press("Edit prompt 2");
    fireEvent.input(screen.getByRole("textbox", { name: "Prompt 2" }), { target: { value: "better" } });
    press(/^Save/);
    expect(await screen.findByRole("alert")).toHaveTextContent("Claude has it already.");
    expect(screen.getByRole("textbox", { name: "Prompt 2" })).toHaveValue("better");
  });

  it("puts the changed text into the box when the prompt went out meanwhile", async () => {
    const box = await draw({ state: "running", queued: all() });
    press("Edit prompt 2");
    fireEvent.input(screen.getByRole("textbox", { name: "Prompt 2" }), { target: { value: "better" } });
    host.emit(event("state", "s", 1, { session: session("s", { state: "running", queued: all().slice(1, 2), lastSeq: 1 }) }));
    await vi.waitFor(() => expect(box.value).toBe("better"));
    expect(rows()).toHaveLength(1);
  });

  it("stays in an edit when an earlier prompt goes out", async () => {
    await draw({ state: "running", queued: all() });
    press("Edit prompt 3");
    const field = screen.getByRole("textbox", { name: "Prompt 3" });
    fireEvent.input(field, { target: { value: "better" } });
    host.emit(event("state", "s", 1, { session: session("s", { state: "running", queued: all().slice(0, 2), lastSeq: 1 }) }));
    await vi.waitFor(() => expect(rows()).toHaveLength(2));
    expect(screen.getByRole("textbox", { name: "Prompt 2" })).toBe(field);
    expect(field).toHaveValue("better");
  });

  it("takes one out, and gives its text back", async () => {
    const box = await draw({ state: "running", queued: all() });
    fireEvent.input(box, { target: { value: "half" } });
    press("Remove prompt 2");
    expect(host.callsOf("session.dropQueued")).toEqual([{ sessionId: "s", promptId: "b" }]);
    fireEvent.click(await screen.findByRole("button", { name: "Move to composer" }));
    expect(box.value).toBe("half\n\nsecond");
  });

  it("sends one now", async () => {
    await draw({ state: "running", queued: all() });
    press("Send prompt 3 now");
    expect(host.callsOf("session.sendQueued")).toEqual([{ sessionId: "s", promptId: "c" }]);
  });

  it("says why prompts are held, and sends them all", async () => {
    const held = [prompt("a", "first", "held"), prompt("b", "second", "held")];
    await draw({ queued: held, interrupted: true });
    expect(screen.getByText(/On hold because Parley quit in the middle of a turn/)).toBeInTheDocument();
    press("Send all");
    expect(host.callsOf("session.sendQueued")).toEqual([{ sessionId: "s" }]);
  });

  it("opens the newest one that can be changed with the up arrow", async () => {
    const box = await draw({ state: "running", queued: all().slice(1) });
    fireEvent.keyDown(box, { key: "ArrowUp" });
    expect(screen.getByRole("textbox", { name: "Prompt 2" })).toHaveValue("third");
  });
});
