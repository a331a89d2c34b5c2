import { fireEvent, screen } from "@solidjs/testing-library";
import { Show } from "solid-js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { OpenQuestion, PermissionRespondParams } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { toAttachment } from "../../store/pasted";
import type { App } from "../../store/context";
import { renderApp } from "../../test/render";
import { GUARD_MS } from "../approval/answer";
import { openQuestion } from "../approval/gallery";
import { forgetKept } from "../approval/draft-answers";
import { SessionPane } from "../session/SessionPane";
import { models } from "./test-composer";

let host: FakeHost;
let app: App;

async function draw(...questions: OpenQuestion[]): Promise<HTMLTextAreaElement> {
  const sessions = [session("s1", { state: "waiting" })];
  host = createFakeHost({
    "session.list": () => ({ sessions, total: 1 }),
    "permission.list": () => ({ requests: questions.map((q) => ({ ...q, sessionId: "s1" })) }),
    "permission.respond": () => ({ won: true, outcome: "deny", by: "window", at: 1, rules: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "session.prompt": () => ({ turnId: "t" }),
    "shell.run": () => ({ messageId: "m" }) as never,
    "draft.get": ({ sessionId }) => ({ sessionId, text: "", attachments: [], updatedAt: 0 }),
    "draft.set": () => ({}),
    "model.list": () => models(),
  });
  app = await renderApp(host, ({ state, actions }) => {
    actions.open("s1");
    return <Show when={state.sessions["s1"]}>{(s) => <SessionPane session={s()} view="usual" />}</Show>;
  });
  return screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
}

const answers = () => host.callsOf("permission.respond") as PermissionRespondParams[];
const prompts = () => host.callsOf("session.prompt");
const ready = () => vi.advanceTimersByTimeAsync(GUARD_MS);
const write = (box: HTMLTextAreaElement, text: string) => fireEvent.input(box, { target: { value: text } });
const enter = (box: HTMLTextAreaElement, keys: KeyboardEventInit = {}) => fireEvent.keyDown(box, { key: "Enter", ...keys });
const command = (id: string, text: string) => openQuestion(id, { input: { command: text } });
const choice = (id: string, ...names: string[]) =>
  openQuestion(id, {
    kind: "question", toolName: "AskUserQuestion",
    input: { questions: names.map((question) => ({ question, header: "", multiSelect: false, options: [{ label: "Red", description: "" }, { label: "Blue", description: "" }] })) },
  });

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  vi.useRealTimers();
  forgetKept();
});

describe("what is written while a question is open", () => {
  it("denies it with Enter, and the box is empty then", async () => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    write(box, "  use make clean  ");
    expect(box.placeholder).toContain("Deny, and tell Claude");
    expect(screen.getByText(/Enter to deny “rm -rf build” with this message · Alt\+Enter to queue/)).toBeVisible();
    enter(box);
    await vi.waitFor(() => expect(box.value).toBe(""));
    expect(answers()).toEqual([{ requestId: "q", behavior: "deny", message: "use make clean" }]);
    expect(prompts()).toEqual([]);
  });

  it("denies it with a click on the button beside the box", async () => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    const button = screen.getByRole("button", { name: /^Deny with message/ });
    expect(button).toBeDisabled();
    write(box, "not that");
    fireEvent.click(button);
    await vi.waitFor(() => expect(answers().map((a) => a.message)).toEqual(["not that"]));
  });

  it("is queued with Alt+Enter", async () => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    write(box, "afterwards");
    enter(box, { altKey: true });
    await vi.waitFor(() => expect(prompts()).toMatchObject([{ text: "afterwards", delivery: "queue" }]));
    expect(answers()).toEqual([]);
  });

  it("does nothing with an empty box, with Ctrl, or with a key that is held", async () => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    enter(box);
    write(box, "   ");
    enter(box);
    write(box, "no");
    enter(box, { ctrlKey: true });
    enter(box, { metaKey: true });
    enter(box, { repeat: true });
    await ready();
    expect([answers(), prompts()]).toEqual([[], []]);
    expect(box.value).toBe("no");
  });

  it("stays when the question has only just come up, and says so", async () => {
    const box = await draw(command("q", "rm -rf build"));
    write(box, "for the turn");
    enter(box);
    expect(screen.getByText(/just appeared/)).toBeVisible();
    expect([answers(), prompts(), box.value]).toEqual([[], [], "for the turn"]);
    await ready();
    enter(box);
    await vi.waitFor(() => expect(answers()).toHaveLength(1));
  });

  it("answers the first of several, which the button names; the next one is guarded again", async () => {
    const box = await draw(command("a", "make one"), command("b", "make two"));
    await ready();
    write(box, "no");
    expect(screen.getByRole("button", { name: /^Deny “make one” with message/ })).toBeEnabled();
    host.emit({ event: "permission_resolved", payload: { sessionId: "s1", seq: 1, at: 1, requestId: "a", outcome: "allow", by: "gateway" } });
    expect(screen.getByRole("button", { name: /^Deny with message/ })).toBeEnabled();
    enter(box);
    expect(answers()).toEqual([]);
    await ready();
    enter(box);
    await vi.waitFor(() => expect(answers().map((a) => a.requestId)).toEqual(["b"]));
  });

  it("stays when another user was first, and when the answer could not be given", async () => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    write(box, "no");
    host.on("permission.respond", () => {
      throw new HostError("offline", "The connection is down.");
    });
    enter(box);
    expect(await screen.findByText(/The connection is down/)).toBeVisible();
    expect(box.value).toBe("no");
    host.on("permission.respond", () => ({ won: false, outcome: "allow", by: "gateway", at: 1, rules: [] }));
    enter(box);
    expect(await screen.findByText("Someone else answered first. Your text is still here.")).toBeVisible();
    host.emit({ event: "permission_resolved", payload: { sessionId: "s1", seq: 1, at: 1, requestId: "q", outcome: "allow", by: "gateway" } });
    expect(screen.getByText(/Your text is still here/)).toBeVisible();
    expect(box.value).toBe("no");
  });

  it("keeps what is typed while the answer is on its way", async () => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    let answer = () => {};
    host.on("permission.respond", () => new Promise((resolve) => (answer = () => resolve({ won: true, outcome: "deny", by: "window", at: 1, rules: [] }))));
    write(box, "no");
    enter(box);
    enter(box);
    write(box, "no, and then");
    answer();
    await vi.waitFor(() => expect(box.value).toBe(", and then"));
    expect(answers()).toHaveLength(1);
  });

  it.each(["!ls", "/clear", "  /compact the rest", "/mcp__x:y"])("keeps its meaning as the command %s", async (text) => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    write(box, text);
    expect(screen.queryByRole("button", { name: /^Deny with message/ })).toBeNull();
    enter(box);
    await vi.waitFor(() => expect(prompts().length + host.callsOf("shell.run").length).toBe(1));
    expect(answers()).toEqual([]);
  });

  it.each(["/etc/passwd is secret", "look at @notes.md"])("is a reason all the same: %s", async (text) => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    write(box, `${text} `);
    enter(box);
    await vi.waitFor(() => expect(answers().map((a) => a.message)).toEqual([text]));
  });

  it("takes pasted text along and leaves files in the box", async () => {
    const box = await draw(command("q", "rm -rf build"));
    await ready();
    app.actions.addAttachments("s1", [toAttachment("pasted words", "Pasted"), { id: "f", name: "a.png", mediaType: "image/png", bytes: 3, data: "AAAA" }], "");
    write(box, "like this:");
    expect(screen.getByText(/Attached files stay in the composer/)).toBeVisible();
    enter(box);
    await vi.waitFor(() => expect(box.value).toBe(""));
    expect(answers()[0]?.message).toContain("like this:");
    expect(answers()[0]?.message).toContain("pasted words");
    expect(app.state.drafts["s1"]?.attachments.map((a) => a.name)).toEqual(["a.png"]);
  });

  it("answers a question of the model in words", async () => {
    const box = await draw(choice("q", "Which colour?"));
    await ready();
    write(box, "Green");
    fireEvent.click(screen.getByRole("button", { name: /^Send answer/ }));
    await vi.waitFor(() => expect(answers()).toEqual([{ requestId: "q", behavior: "allow", answers: { "Which colour?": "Green" } }]));
  });

  it("goes with what was chosen so far when there are several questions", async () => {
    const box = await draw(choice("q", "Which colour?", "Which size?"));
    await ready();
    fireEvent.click(screen.getAllByRole("radio", { name: /Blue/ })[0] as HTMLElement);
    write(box, "any size");
    enter(box);
    await vi.waitFor(() => expect(answers()).toEqual([{ requestId: "q", behavior: "deny", message: "Which colour? Blue\nany size" }]));
  });

  it("sends a plan back", async () => {
    const box = await draw(openQuestion("q", { kind: "plan", toolName: "ExitPlanMode", input: { plan: "# All of it" } }));
    await ready();
    write(box, "Shorter");
    fireEvent.click(screen.getByRole("button", { name: /^Send changes/ }));
    await vi.waitFor(() => expect(answers()).toEqual([{ requestId: "q", behavior: "deny", message: "Shorter" }]));
  });

  it("is sent as ever while it is asked whether a folder is trusted: nobody would read it", async () => {
    const box = await draw(openQuestion("q", { kind: "trust", toolName: "trust", input: { folder: "/p", findings: [] } }));
    await ready();
    write(box, "hello");
    enter(box);
    await vi.waitFor(() => expect(prompts()).toHaveLength(1));
    expect(answers()).toEqual([]);
  });
});
