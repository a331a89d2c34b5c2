import { fireEvent, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { event, info, question, session } from "../../../gallery/fixtures";
import { HostError } from "../../host/host";
import { app, draw, host, prompts } from "./test-composer";

describe("keys", () => {
  it("sends with Enter and starts a line with Shift+Enter", async () => {
    const box = await draw();
    const user = userEvent.setup();
    await user.type(box, "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(prompts()).toEqual(["one\ntwo"]);
    expect(box.value).toBe("");
  });

  it("stands in a form that a browser never sends", async () => {
    const { form } = await draw();
    expect(form && fireEvent.submit(form)).toBe(false);
    expect(prompts()).toEqual([]);
  });

  it("leaves Enter to an input method that is composing", async () => {
    const box = await draw();
    fireEvent.input(box, { target: { value: "にほん" } });
    fireEvent.keyDown(box, { key: "Enter", isComposing: true });
    // WebKit reports the key that ends a composition after the composition has ended.
    fireEvent.keyDown(box, { key: "Enter", keyCode: 229 });
    expect(prompts()).toEqual([]);
    fireEvent.keyDown(box, { key: "Enter" });
    expect(prompts()).toEqual(["にほん"]);
  });

  it("goes through the permission modes with Shift+Tab", async () => {
    const box = await draw({ permissionMode: "acceptEdits" });
    fireEvent.keyDown(box, { key: "Tab", shiftKey: true });
    expect(host.callsOf("session.setPermissionMode")).toEqual([{ sessionId: "s", mode: "plan" }]);
    const tab = fireEvent.keyDown(box, { key: "Tab" });
    expect(tab).toBe(true);
    expect(host.callsOf("session.setPermissionMode")).toHaveLength(1);
  });

  it("lets Shift+Tab go to a question that waits", async () => {
    const box = await draw();
    host.emit(event("permission_request", "s", 1, question("s", "q")));
    expect(fireEvent.keyDown(box, { key: "Tab", shiftKey: true })).toBe(true);
    expect(host.callsOf("session.setPermissionMode")).toEqual([]);
  });
});

describe("the focus", () => {
  const dialog = (open: boolean) => {
    const made = document.createElement("div");
    made.setAttribute("role", "dialog");
    made.toggleAttribute("data-expanded", open);
    made.tabIndex = -1;
    document.body.append(made);
    onTestFinished(() => made.remove());
    made.focus();
    return made;
  };

  it("goes to the session that is opened, also from a dialog that fades away", async () => {
    dialog(false);
    const box = await draw();
    expect(box).toHaveFocus();
  });

  it("stays in a dialog that was opened before the session was there", async () => {
    const there = dialog(true);
    const box = await draw();
    expect(there).toHaveFocus();
    there.remove();
    app.actions.open("other");
    expect(box).toHaveFocus();
  });
});

describe("sending", () => {
  it("sends once when Enter is hit twice, under an id of its own", async () => {
    const box = await draw();
    let answer!: () => void;
    host.on("session.prompt", () => new Promise((resolve) => (answer = () => resolve({ turnId: "t" }))));
    fireEvent.input(box, { target: { value: "hello" } });
    fireEvent.keyDown(box, { key: "Enter" });
    fireEvent.keyDown(box, { key: "Enter" });
    fireEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(prompts()).toEqual(["hello"]);
    expect(host.callsOf("session.prompt")[0]?.promptId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(screen.getByRole("status")).toHaveTextContent("Sending…");
    answer();
    await vi.waitFor(() => expect(box.value).toBe(""));
  });

  it("keeps the text and says why when it fails", async () => {
    const box = await draw();
    host.on("session.prompt", () => {
      throw new HostError("busy", "Too many prompts are queued.");
    });
    fireEvent.input(box, { target: { value: "precious" } });
    fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(screen.getByRole("status")).toHaveTextContent("Too many prompts are queued."));
    expect(box.value).toBe("precious");
  });

  it("does not send while the link is down, and says that the text is kept", async () => {
    const box = await draw();
    fireEvent.input(box, { target: { value: "hello" } });
    host.setStatus({ kind: "closed", reason: "", retryAt: null });
    fireEvent.keyDown(box, { key: "Enter" });
    expect(prompts()).toEqual([]);
    expect(screen.getByRole("button", { name: "Send" })).toBeDisabled();
    expect(screen.getByRole("status")).toHaveTextContent("Offline");
    expect(box.value).toBe("hello");
  });

  it("interrupts", async () => {
    await draw({ state: "running" });
    fireEvent.click(screen.getByRole("button", { name: "Interrupt" }));
    expect(host.callsOf("session.interrupt")).toEqual([{ sessionId: "s" }]);
  });

  it("offers no interrupt while nothing runs", async () => {
    await draw();
    expect(screen.queryByRole("button", { name: "Interrupt" })).toBeNull();
  });
});

describe("while a turn runs", () => {
  const settings = (whileBusy: string) => ({ settings: { ...info().settings, whileBusy } });
  const sent = () => host.callsOf("session.prompt").map(({ text, delivery }) => [text, delivery]);

  it.each([
    ["steer", "now", "queue"],
    ["queue", "queue", "now"],
  ])("with %s, Enter is %s and Alt+Enter %s", async (whileBusy, first, second) => {
    const box = await draw({ state: "running" }, settings(whileBusy));
    fireEvent.input(box, { target: { value: "one" } });
    fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(box.value).toBe(""));
    fireEvent.input(box, { target: { value: "two" } });
    fireEvent.keyDown(box, { key: "Enter", altKey: true });
    await vi.waitFor(() => expect(box.value).toBe(""));
    expect(sent()).toEqual([
      ["one", first],
      ["two", second],
    ]);
  });

  it("both ways are buttons that say what they do", async () => {
    const box = await draw({ state: "running" });
    fireEvent.input(box, { target: { value: "one" } });
    fireEvent.click(screen.getByRole("button", { name: "Queue: sends when this turn ends" }));
    await vi.waitFor(() => expect(box.value).toBe(""));
    fireEvent.input(box, { target: { value: "two" } });
    fireEvent.click(screen.getByRole("button", { name: "Steer: Claude reads this at its next step" }));
    await vi.waitFor(() => expect(box.value).toBe(""));
    expect(sent()).toEqual([
      ["one", "queue"],
      ["two", "now"],
    ]);
    expect(screen.getByText("Enter to steer · Alt+Enter to queue")).toBeInTheDocument();
  });

  it("says nothing of it otherwise", async () => {
    const box = await draw();
    fireEvent.input(box, { target: { value: "one" } });
    fireEvent.keyDown(box, { key: "Enter", altKey: true });
    expect(sent()).toEqual([["one", undefined]]);
  });
});

describe("drafts", () => {
  it("belong to their session", async () => {
    const box = await draw();
    fireEvent.input(box, { target: { value: "for the first" } });
    app.actions.open("other");
    expect(screen.getByRole("textbox", { name: "Prompt" })).toHaveValue("");
    app.actions.open("s");
    expect(screen.getByRole("textbox", { name: "Prompt" })).toHaveValue("for the first");
  });
});

describe("the shell", () => {
  it("runs what follows an exclamation mark, and asks nobody", async () => {
    const box = await draw();
    host.on("shell.run", ({ sessionId }) => ({ sessionId, messageId: "m" }));
    fireEvent.input(box, { target: { value: "! ls -l" } });
    expect(screen.getByRole("status")).toHaveTextContent("Shell: runs in this folder");
    expect(screen.getByRole("button", { name: "Run command" })).toBeEnabled();
    fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(box.value).toBe(""));
    expect(host.callsOf("shell.run")).toEqual([{ sessionId: "s", command: "ls -l" }]);
    expect(prompts()).toEqual([]);
  });

  it("keeps a command that did not run, and says why", async () => {
    const box = await draw();
    host.on("shell.run", () => {
      throw new HostError("busy", "Too many run.");
    });
    fireEvent.input(box, { target: { value: "!make" } });
    fireEvent.keyDown(box, { key: "Enter" });
    await vi.waitFor(() => expect(screen.getByRole("status")).toHaveTextContent("Too many run."));
    expect(box.value).toBe("!make");
  });

  it("is left with Esc", async () => {
    const box = await draw();
    fireEvent.input(box, { target: { value: "!" } });
    expect(fireEvent.keyDown(box, { key: "Escape" })).toBe(false);
    expect(box.value).toBe("");
  });

  it("stops with Esc", async () => {
    const box = await draw();
    host.on("shell.stop", () => ({}));
    await app.actions.reload("s");
    host.emit(event("shell_update", "s", 1, { messageId: "m", command: "sleep 9", state: "running", exitCode: 0 }));
    expect(fireEvent.keyDown(box, { key: "Escape" })).toBe(false);
    expect(host.callsOf("shell.stop")).toEqual([{ sessionId: "s", messageId: "m" }]);
  });
});

describe("what the CLI suggests", () => {
  async function suggested(): Promise<HTMLTextAreaElement> {
    const box = await draw();
    host.emit(event("state", "s", 1, { session: session("s", { suggestion: "run the tests", lastSeq: 1 }) }));
    await vi.waitFor(() => expect(box).toHaveAttribute("placeholder", "run the tests"));
    return box;
  }

  it.each(["Tab", "ArrowRight"])("stands in the empty box and is taken over with %s", async (key) => {
    const box = await suggested();
    expect(box).toHaveAccessibleDescription("Tab to accept the suggestion");
    expect(fireEvent.keyDown(box, { key })).toBe(false);
    expect(box.value).toBe("run the tests");
    expect(fireEvent.keyDown(box, { key })).toBe(true);
  });

  it("goes when the user types, and does not come back", async () => {
    const box = await suggested();
    fireEvent.input(box, { target: { value: "x" } });
    expect(fireEvent.keyDown(box, { key: "Tab" })).toBe(true);
    fireEvent.input(box, { target: { value: "" } });
    expect(box).not.toHaveAttribute("placeholder", "run the tests");
    expect(fireEvent.keyDown(box, { key: "Tab" })).toBe(true);
  });
});
