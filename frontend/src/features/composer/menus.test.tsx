import { fireEvent, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { event, session } from "../../../gallery/fixtures";
import { draw, host, models, prompts } from "./test-composer";

describe("commands", () => {
  const options = () => screen.getAllByRole("option").map((o) => o.textContent);
  const type = (box: HTMLElement, value: string) => fireEvent.input(box, { target: { value } });

  it("are offered when a slash is typed: those that begin with it first", async () => {
    const box = await draw();
    expect(host.callsOf("model.list")).toEqual([]);
    type(box, "/co");
    await screen.findByRole("listbox", { name: "Commands" });
    expect(host.callsOf("model.list")).toEqual([{ sessionId: "s" }]);
    expect(options()).toEqual([
      "/compact <what to keep>Summarise the conversation",
      "/context What fills the window",
      "/recompact Again",
    ]);
    type(box, "/");
    expect(options()).toHaveLength(3);
    type(box, "no/co");
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("are taken by keyboard, and say what may follow", async () => {
    const box = await draw();
    type(box, "/");
    await screen.findByRole("listbox");
    fireEvent.keyDown(box, { key: "ArrowDown" });
    expect(box).toHaveAttribute("aria-activedescendant", screen.getAllByRole("option")[1]?.id);
    fireEvent.keyDown(box, { key: "ArrowUp" });
    fireEvent.keyDown(box, { key: "Tab" });
    expect(box.value).toBe("/compact ");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(screen.getByText("<what to keep>")).toBeInTheDocument();
    expect(prompts()).toEqual([]);
  });

  it("are completed with Enter and sent with the next", async () => {
    const box = await draw();
    type(box, "/cont");
    await screen.findByRole("listbox");
    fireEvent.keyDown(box, { key: "Enter" });
    expect(box.value).toBe("/context ");
    fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(prompts()).toEqual(["/context "]));
  });

  it("are sent as they are when they are typed in full", async () => {
    const box = await draw();
    type(box, "/context");
    await screen.findByRole("listbox");
    fireEvent.keyDown(box, { key: "Enter" });
    expect(prompts()).toEqual(["/context"]);
  });

  it("go away with Esc, which then interrupts nothing", async () => {
    const box = await draw({ state: "running" });
    type(box, "/c");
    await screen.findByRole("listbox");
    expect(fireEvent.keyDown(box, { key: "Escape" })).toBe(false);
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(fireEvent.keyDown(box, { key: "Escape" })).toBe(true);
  });

  it("say why there are none, and ask again", async () => {
    const box = await draw();
    host.on("model.list", () => models({ models: [], commands: [], at: 0, message: "No CLI was found." }));
    type(box, "/");
    expect(await screen.findByRole("alert")).toHaveTextContent("The CLI didn’t answer: No CLI was found.");
    host.on("model.list", () => models());
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByRole("listbox");
    expect(host.callsOf("model.list").at(-1)).toEqual({ sessionId: "s", refresh: true });
  });
});

describe("the choices", () => {
  async function choose(trigger: RegExp, name: RegExp): Promise<void> {
    const user = userEvent.setup();
    await user.click(screen.getByRole("button", { name: trigger }));
    await user.click(await screen.findByRole("menuitemradio", { name }));
  }

  it("the model is what the session reports, checked in the CLI’s list", async () => {
    await draw({ model: "claude-opus-5-5", effort: "high" });
    await choose(/^Model: Opus 5.5 · High/, /^Haiku/);
    expect(host.callsOf("session.setModel")).toEqual([{ sessionId: "s", model: "haiku" }]);
    await userEvent.setup().click(await screen.findByRole("button", { name: /^Model/ }));
    expect(await screen.findByRole("menuitemradio", { name: /^Opus/ })).toBeChecked();
    // The levels depend on the model.
    expect(screen.getAllByRole("menuitemradio").map((i) => i.textContent)).toEqual([
      "Default (recommended)Opus", "OpusFor hard things", "HaikuQuick", "Low", "High", "Maximum",
    ]);
    expect(screen.getByRole("menuitemradio", { name: "High" })).toBeChecked();
  });

  it("a model that is not on the list is shown as it is", async () => {
    await draw({ model: "my-gateway/model-7" });
    await choose(/^Model: my-gateway\/model-7/, /^High/);
    expect(host.callsOf("session.setEffort")).toEqual([{ sessionId: "s", effort: "high" }]);
    await userEvent.setup().click(await screen.findByRole("button", { name: /^Model/ }));
    expect(await screen.findByRole("menuitemradio", { name: /^my-gateway/ })).toBeChecked();
  });

  it("switching the checks off is asked about", async () => {
    await draw();
    await choose(/^Permission mode/, /^Bypass permissions/);
    expect(host.callsOf("session.setPermissionMode")).toEqual([]);
    fireEvent.click(await screen.findByRole("button", { name: "Turn off checks" }));
    expect(host.callsOf("session.setPermissionMode")).toEqual([{ sessionId: "s", mode: "bypassPermissions" }]);
  });

  it("a changed mode is announced", async () => {
    await draw();
    host.emit(event("state", "s", 1, { session: session("s", { permissionMode: "plan", lastSeq: 1 }) }));
    expect(await screen.findByText("Permission mode: Plan")).toHaveAttribute("aria-live", "polite");
  });
});

describe("mentions", () => {
  const files = [
    { path: "src", folder: true },
    { path: "src/a b.ts", folder: false },
    { path: "evil\u202etxt.md", folder: false },
  ];
  async function at(value: string): Promise<HTMLTextAreaElement> {
    const box = await draw();
    host.on("file.find", () => ({ files, scanning: false, truncated: false }));
    host.on("model.list", () => models({ commands: [{ name: "Explore", description: "Looks around", argumentHint: "", kind: "agent" }] }));
    fireEvent.input(box, { target: { value } });
    await screen.findByRole("listbox", { name: "Files and agents" });
    return box;
  }

  it("offer files, folders and agents; what is hidden in a name is shown", async () => {
    await at("see @");
    expect(host.callsOf("file.find")).toEqual([{ sessionId: "s", query: "", limit: 50 }]);
    await vi.waitFor(() => expect(screen.getAllByRole("option").map((o) => o.textContent)).toEqual(["src/", "a b.tssrc", "evilU+202Etxt.md", "agent-ExploreLooks around"]));
  });

  it("are written as the CLI takes them", async () => {
    const box = await at("see @a");
    fireEvent.keyDown(box, { key: "ArrowDown" });
    fireEvent.keyDown(box, { key: "Enter" });
    expect(box.value).toBe('see @"src/a b.ts" ');
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(prompts()).toEqual([]);
  });

  it("lead into a folder with Tab", async () => {
    const box = await at("@");
    fireEvent.keyDown(box, { key: "Tab" });
    expect(box.value).toBe("@src/");
    await vi.waitFor(() => expect(host.callsOf("file.find").at(-1)).toEqual({ sessionId: "s", query: "src/", limit: 50 }));
    expect(screen.getByRole("listbox", { name: "Files and agents" })).toBeInTheDocument();
  });

  it("are no addresses", async () => {
    const box = await draw();
    fireEvent.input(box, { target: { value: "write to ada@example.org" } });
    expect(host.callsOf("file.find")).toEqual([]);
  });

  it("go away with Esc, which then interrupts nothing", async () => {
    const box = await at("@s");
    expect(fireEvent.keyDown(box, { key: "Escape" })).toBe(false);
    expect(screen.queryByRole("listbox")).toBeNull();
  });
});
