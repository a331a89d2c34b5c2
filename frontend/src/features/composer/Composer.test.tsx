import { fireEvent, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { Show } from "solid-js";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { Session } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import type { App } from "../../store/context";
import { renderApp } from "../../test/render";
import { Composer } from "./Composer";

let host: FakeHost;
let app: App;

beforeEach(() => localStorage.clear());

async function draw(change: Partial<Session> = {}): Promise<HTMLTextAreaElement> {
  const sessions = [session("s", change), session("other")];
  host = createFakeHost({
    "session.list": () => ({ sessions, total: 2 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "session.prompt": () => ({ turnId: "t" }),
    "session.interrupt": () => ({}),
    "session.setPermissionMode": () => ({}),
  });
  app = await renderApp(host, ({ state, actions }) => {
    actions.open("s");
    return <Show when={state.sessions[state.current ?? ""]}>{(s) => <Composer session={s()} />}</Show>;
  });
  return screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
}

const prompts = () => host.callsOf("session.prompt").map((p) => p.text);
const png = (name: string, bytes = 3) => new File([new Uint8Array(bytes)], name, { type: "image/png" });

describe("keys", () => {
  it("sends with Enter and starts a line with Shift+Enter", async () => {
    const box = await draw();
    const user = userEvent.setup();
    await user.type(box, "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(prompts()).toEqual(["one\ntwo"]);
    expect(box.value).toBe("");
  });

  it("leaves Enter to an input method that is composing", async () => {
    const box = await draw();
    fireEvent.input(box, { target: { value: "にほん" } });
    fireEvent.keyDown(box, { key: "Enter", isComposing: true });
    // WebKit reports the key that ends a composition after its end.
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

  it("queues while a turn runs, shows what is queued, and interrupts", async () => {
    const box = await draw({ state: "running", queued: [{ promptId: "p", turnId: "t", text: "then this" }] });
    expect(screen.getByText("then this")).toBeInTheDocument();
    fireEvent.input(box, { target: { value: "and that" } });
    fireEvent.click(screen.getByRole("button", { name: "Queue" }));
    expect(prompts()).toEqual(["and that"]);
    fireEvent.click(screen.getByRole("button", { name: "Interrupt" }));
    expect(host.callsOf("session.interrupt")).toEqual([{ sessionId: "s" }]);
  });

  it("offers no interrupt while nothing runs", async () => {
    await draw();
    expect(screen.queryByRole("button", { name: "Interrupt" })).toBeNull();
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

describe("images", () => {
  it("attaches what is pasted, shows it, and takes it off again", async () => {
    const box = await draw();
    fireEvent.paste(box, { clipboardData: { files: [png("shot.png")], types: ["Files"] } });
    await screen.findByAltText("shot.png");
    fireEvent.click(screen.getByRole("button", { name: "Remove shot.png" }));
    expect(screen.queryByAltText("shot.png")).toBeNull();
  });

  it("lets text be pasted as text although a picture of it comes along", async () => {
    const box = await draw();
    const event = fireEvent.paste(box, { clipboardData: { files: [png("cells.png")], types: ["text/plain", "Files"] } });
    expect(event).toBe(true);
    expect(app.state.drafts["s"]).toBeUndefined();
  });

  it("sends what was dropped with the text", async () => {
    const box = await draw();
    fireEvent.drop(box, { dataTransfer: { files: [png("a.png")] } });
    await screen.findByAltText("a.png");
    fireEvent.input(box, { target: { value: "what is this?" } });
    fireEvent.keyDown(box, { key: "Enter" });
    expect(host.callsOf("session.prompt")[0]?.attachments).toEqual([{ name: "a.png", mediaType: "image/png", data: "AAAA" }]);
  });

  it.each([
    ["text", () => new File(["x"], "notes.txt", { type: "text/plain" }), "notes.txt is not an image"],
    ["SVG", () => new File(["<svg/>"], "x.svg", { type: "image/svg+xml" }), "x.svg is not an image"],
    ["more than 5 MB", () => png("big.png", 5 * 1024 * 1024 + 1), "big.png is larger than 5 MB"],
    ["nothing", () => png("none.png", 0), "none.png is empty"],
  ])("does not take %s", async (_what, file, reason) => {
    const box = await draw();
    fireEvent.drop(box, { dataTransfer: { files: [file()] } });
    await vi.waitFor(() => expect(screen.getByRole("status")).toHaveTextContent(reason));
    expect(app.state.drafts["s"]?.attachments).toEqual([]);
  });
});
