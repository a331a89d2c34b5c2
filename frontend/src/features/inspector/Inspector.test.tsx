import { cleanup, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { assistant, session, user } from "../../../gallery/fixtures";
import { changes, diff, inspectorHandlers, previews, tasks } from "../../../gallery/inspector";
import type { Message, Session } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import type { App } from "../../store/context";
import { UndoTurn } from "./files/UndoTurn";
import { Inspector } from "./Inspector";
import { ArchiveQuestion } from "./tasks/ArchiveQuestion";

let host: FakeHost;
let mine: Session;
let messages: Message[];
const closed = vi.fn();

beforeEach(() => {
  mine = session("s1", { title: "Mine" });
  messages = [];
  closed.mockReset();
  host = createFakeHost({
    "session.list": () => ({ sessions: [mine], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: structuredClone(messages), total: messages.length, hasMore: false, before: "", seq: 0 }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    ...inspectorHandlers,
    "task.list": () => ({ tasks: structuredClone(tasks) }),
    "change.list": () => structuredClone(changes),
  });
});

afterEach(cleanup);

async function draw(tab: string, over = false): Promise<App> {
  return renderApp(host, (app) => {
    app.layout.setInspector({ tab });
    return <Inspector sessionId="s1" over={over} onClose={closed} />;
  });
}

const row = (name: RegExp) => screen.getAllByRole("listitem").find((item) => name.test(item.textContent ?? ""))!;

describe("the panel", () => {
  test("keeps its tab and its width, and goes with Esc where it lies over the conversation", async () => {
    const app = await draw("files", true);
    expect(screen.getByRole("tab", { name: /Files/ })).toHaveAttribute("aria-selected", "true");
    expect(screen.getByRole("tab", { name: /Files/ })).toHaveFocus();
    await userEvent.click(screen.getByRole("tab", { name: /Tasks/ }));
    expect(app.layout.state.inspector.tab).toBe("tasks");
    const edge = screen.getByRole("separator", { name: "Side panel width" });
    edge.focus();
    await userEvent.keyboard("{ArrowLeft}");
    expect(app.layout.state.inspector.width).toBe(376);
    await userEvent.keyboard("{Escape}");
    expect(closed).toHaveBeenCalledOnce();
  });

  test("stays with Esc beside the conversation", async () => {
    await draw("tasks");
    screen.getByRole("tab", { name: /Tasks/ }).focus();
    await userEvent.keyboard("{Escape}");
    expect(closed).not.toHaveBeenCalled();
  });
});

describe("tasks", () => {
  test("are listed, those that run first, and follow what happens", async () => {
    await draw("tasks");
    const names = async () => (await screen.findAllByRole("listitem")).map((item) => item.querySelector('[data-slot="name"]')?.textContent);
    expect(await names()).toEqual(["npm run dev", "Find every caller of Send", "Watch the build", "Run the upload tests"]);
    expect(row(/Find every/)).toHaveTextContent("Explore · Grep · 14 steps · 48k tokens");
    host.emit({ event: "task_update", payload: { sessionId: "s1", seq: 1, at: 1, taskId: "t2", status: "completed", description: "Find every caller of Send", summary: "Found 12." } });
    await vi.waitFor(() => expect(row(/Find every/)).toHaveTextContent("Found 12."));
    expect(within(row(/Find every/)).queryByRole("button", { name: /Stop/ })).toBeNull();
    expect(within(row(/Find every/)).queryByRole("button", { name: "Output" })).toBeNull();
  });

  test("show what they wrote, and can be stopped", async () => {
    await draw("tasks");
    await screen.findAllByRole("listitem");
    await userEvent.click(within(row(/npm run dev/)).getByRole("button", { name: "Output" }));
    expect(await screen.findByRole("group", { name: "Output of “npm run dev”" })).toHaveTextContent("ready in 812 ms");
    await userEvent.click(screen.getByRole("button", { name: "Stop “npm run dev”" }));
    expect(host.callsOf("task.stop")).toEqual([{ sessionId: "s1", taskId: "t3" }]);
  });

  test("that cannot be stopped say why", async () => {
    host.on("task.stop", () => {
      throw new HostError("conflict", "The CLI did not do this.");
    });
    await draw("tasks");
    await screen.findAllByRole("listitem");
    await userEvent.click(screen.getByRole("button", { name: "Stop “npm run dev”" }));
    expect(await within(row(/npm run dev/)).findByRole("alert")).toHaveTextContent("The CLI did not do this.");
  });
});

describe("files", () => {
  test("are listed with what happened to them; opened, how", async () => {
    await draw("files");
    const first = await screen.findByRole("button", { name: /^retry\.go/ });
    expect(first).toHaveTextContent("retry.gobackend/upload+64 −12");
    expect(screen.getByRole("button", { name: /^retry_test\.go/ })).toHaveTextContent(/new.*subagent/);
    await userEvent.click(first);
    expect(await screen.findByRole("group", { name: "Changes to backend/upload/retry.go" })).toHaveTextContent("return errLost");
    expect(host.callsOf("change.diff")).toEqual([{ sessionId: "s1", path: diff.path, to: "tools" }]);
    expect(await screen.findByRole("region", { name: "Other changes" })).toHaveTextContent(/go\.sumchanged/);
    expect(screen.queryByRole("button", { name: /Undo changes to \.bashrc/ })).toBeNull();
  });

  test.each([
    ["binary", "Binary file."],
    ["large", "Too large to show."],
    ["unknown", "The previous version is unknown."],
  ])("that are %s say so", async (state, words) => {
    host.on("change.diff", () => ({ ...diff, before: { state, text: "" } }));
    await draw("files");
    await userEvent.click(await screen.findByRole("button", { name: /^retry\.go/ }));
    expect(await screen.findByText(words)).toBeInTheDocument();
  });

  test("are read again when a tool has run", async () => {
    await draw("files");
    await screen.findByRole("button", { name: /^retry\.go/ });
    const read = host.callsOf("change.list").length;
    host.emit({ event: "tool_result", payload: { sessionId: "s1", seq: 1, at: 1, toolUseId: "x", name: "Edit", isError: false, outcome: "done", content: [] } });
    await vi.waitFor(() => expect(host.callsOf("change.list").length).toBe(read + 1));
  });

  test("that were put back offer to take that back", async () => {
    host.on("change.list", () => ({ ...structuredClone(changes), undone: { at: 1, turnId: "u2", files: ["a", "b"] } }));
    await draw("files");
    await userEvent.click(await screen.findByRole("button", { name: "Redo" }));
    expect(host.callsOf("change.redo")).toEqual([{ sessionId: "s1" }]);
    expect(await screen.findByText("1 file is back to the version before the undo.")).toBeInTheDocument();
  });

  test("are taken back once, however often that is asked for", async () => {
    let undone = true;
    host.on("change.list", () => ({ ...structuredClone(changes), ...(undone ? { undone: { at: 1, turnId: "u2", files: ["a", "b"] } } : {}) }));
    host.on("change.redo", () => ((undone = false), { done: ["a"], refused: [] }));
    await draw("files");
    const button = await screen.findByRole("button", { name: "Redo" });
    button.click();
    button.click();
    expect(host.callsOf("change.redo")).toHaveLength(1);
    await screen.findByText("1 file is back to the version before the undo.");
    expect(screen.queryByRole("button", { name: "Redo" })).not.toBeInTheDocument();
  });
});

describe("undoing", () => {
  const open = async () => {
    await draw("files");
    await userEvent.click(await screen.findByRole("button", { name: "Undo changes from this turn…" }));
    return await screen.findByRole("dialog");
  };

  test("says what will happen, and leaves out what others changed until a user says so", async () => {
    const dialog = await open();
    const boxes = within(dialog).getAllByRole("checkbox");
    expect(boxes.map((box) => [(box as HTMLInputElement).checked, (box as HTMLInputElement).disabled])).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(dialog).toHaveTextContent("You, a command, or another session changed this file since");
    expect(dialog).toHaveTextContent("It is outside the session's folder.");
    expect(dialog).toHaveTextContent("3 commands also ran.");
    await userEvent.click(boxes[0]!);
    await userEvent.click(boxes[2]!);
    await userEvent.click(within(dialog).getByRole("button", { name: "Undo in 3 files" }));
    const chosen = [previews[0]!, previews[1]!, previews[3]!].map(({ path, stamp }) => ({ path, stamp }));
    expect(host.callsOf("change.undo")).toEqual([{ sessionId: "s1", turnId: "u2", files: chosen }]);
    await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("shows the way back, not the way there", async () => {
    const dialog = await open();
    await userEvent.click(within(dialog).getAllByRole("button", { name: "Show diff" })[0]!);
    const shown = await within(dialog).findByRole("group", { name: "Changes to backend/upload/retry.go" });
    const removed = [...shown.querySelectorAll('[data-kind="remove"]')].map((line) => line.textContent).join("\n");
    expect(removed).toContain("return errLost");
  });

  test("says what stayed as it is", async () => {
    host.on("change.undo", () => ({ done: ["old.go"], refused: [{ path: "docs/decisions.md", reason: "The file was changed in the meantime." }] }));
    const dialog = await open();
    await userEvent.click(within(dialog).getByRole("button", { name: "Undo in 3 files" }));
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("docs/decisions.md: The file was changed in the meantime.");
    expect(within(dialog).queryByRole("button", { name: /Undo in/ })).toBeNull();
  });

  test("says why it cannot", async () => {
    host.on("change.preview", () => {
      throw new HostError("not_found", "Nothing is known of this turn.");
    });
    expect(await open()).toHaveTextContent("Nothing is known of this turn.");
    expect(screen.getByRole("button", { name: "Undo" })).toBeDisabled();
  });
});

test("the offer below an answer is there when its turn changed files", async () => {
  const tool = (id: string, name: string, state = "done") => ({ id: `b${id}`, type: "tool", tool: { toolUseId: id, name, input: {}, state, startedAt: 1, content: [] } });
  messages = [
    user("u1", "one"), assistant("a1", [tool("t1", "Edit")]), assistant("a2", [{ id: "x2", type: "text", text: "done" }]),
    user("u2", "two"), assistant("a3", [tool("t3", "Bash"), tool("t4", "Write", "error")]),
  ];
  const app = await renderApp(host, () => (
    <>
      <p aria-label="first"><UndoTurn sessionId="s1" messageId="a2" /></p>
      <p aria-label="second"><UndoTurn sessionId="s1" messageId="a3" /></p>
    </>
  ));
  app.actions.open("s1");
  await userEvent.click(await screen.findByRole("button", { name: "Undo changes…" }));
  expect(within(screen.getByLabelText("second")).queryByRole("button")).toBeNull();
  expect(await screen.findByRole("dialog", { name: "Undo changes from this turn on?" })).toBeInTheDocument();
  expect(host.callsOf("change.preview")).toEqual([{ sessionId: "s1", turnId: "u1" }]);
});

test("archiving asks before it ends background work", async () => {
  Object.assign(mine, { tasks: tasks.slice(1, 3) });
  host.on("session.archive", () => ({ ...mine, tasks: [], archivedAt: 5 }));
  const app = await renderApp(host, () => <ArchiveQuestion />);
  await app.actions.archive("s1");
  const dialog = await screen.findByRole("dialog", { name: "Archive “Mine”?" });
  expect(dialog).toHaveTextContent("npm run dev");
  expect(host.callsOf("session.archive")).toEqual([]);
  await userEvent.click(within(dialog).getByRole("button", { name: "Stop tasks and archive" }));
  expect(host.callsOf("session.archive")).toEqual([{ sessionId: "s1", force: true }]);
});

test("closing asks before it ends background work, and deleting says so itself", async () => {
  Object.assign(mine, { tasks: tasks.slice(1, 3) });
  host.on("session.close", () => ({}));
  host.on("session.delete", () => ({ ...mine, tasks: [], deletedAt: 5 }));
  const app = await renderApp(host, () => <ArchiveQuestion />);
  await app.actions.closeSession("s1");
  const dialog = await screen.findByRole("dialog", { name: "Close “Mine”?" });
  expect(dialog).toHaveTextContent("npm run dev");
  expect(host.callsOf("session.close")).toEqual([]);
  await userEvent.click(within(dialog).getByRole("button", { name: "Stop tasks and close" }));
  expect(host.callsOf("session.close")).toEqual([{ sessionId: "s1", force: true }]);
  await app.actions.remove("s1");
  expect(host.callsOf("session.delete")).toEqual([{ sessionId: "s1", force: true }]);
});
