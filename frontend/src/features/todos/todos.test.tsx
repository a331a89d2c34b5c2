import { cleanup, screen, waitFor, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { Show } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { Message, Session, Todo } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { TodoPanel } from "./TodoPanel";

const todo = (id: string, state: string, change: Partial<Todo> = {}): Todo => ({
  id, subject: `Task ${id}`, doing: "", about: "", state, owner: "", blockedBy: [], ...change,
});

let host: FakeHost;
let todos: Todo[];
let messages: Message[];
let record: Session;
let seq: number;
beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  todos = [];
  messages = [];
  seq = 0;
  record = session("s1");
  host = createFakeHost({
    "session.list": () => ({ sessions: [record], total: 1 }),
    "session.history": () => ({ messages, total: messages.length, hasMore: false, before: "", seq }),
    "permission.list": () => ({ requests: [] }),
    "todo.list": () => ({ todos: structuredClone(todos), unread: 0 }),
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const show = () =>
  renderApp(host, (app) => <Show when={app.state.sessions["s1"]}>{(s) => <TodoPanel session={s()} />}</Show>).then((app) => {
    app.actions.open("s1");
    return app;
  });
const panel = () => screen.findByRole("region", { name: "Tasks" });
const changed = () =>
  host.emit({
    event: "tool_result",
    payload: { sessionId: "s1", seq: ++seq, at: 1, toolUseId: "t", name: "TaskUpdate", isError: false, outcome: "done", content: [], durationMs: 1 },
  });

test("says how far it is, and opens to the list", async () => {
  todos = [
    todo("1", "completed"), todo("2", "in_progress", { doing: "Writing tests", owner: "helper" }), todo("3", "pending", { blockedBy: ["1", "2", "9"] }),
  ];
  await show();
  const line = within(await panel()).getByRole("button", { name: /^Tasks/ });
  expect(line).toHaveTextContent("Tasks1 of 3Writing tests");
  expect(screen.queryByRole("listitem")).toBeNull();
  await userEvent.click(line);
  expect(screen.getAllByRole("listitem").map((li) => li.textContent)).toEqual([
    "done: Task 1", "in progress: Writing testshelper", "to do: Task 3blocked by Task 2",
  ]);
});

test("reads the list again when a tool has changed it", async () => {
  todos = [todo("1", "pending")];
  await show();
  expect(await panel()).toHaveTextContent("0 of 1Next: Task 1");
  todos = [todo("1", "completed"), todo("2", "pending")];
  changed();
  await waitFor(() => expect(screen.getByRole("region")).toHaveTextContent("1 of 2Next: Task 2"));
});

test("a finished list is not shown, unless the turn that finished it continues", async () => {
  record = session("s1", { state: "running" });
  todos = [todo("1", "in_progress")];
  await show();
  await panel();
  todos = [todo("1", "completed")];
  changed();
  await waitFor(() => expect(screen.getByRole("region")).toHaveTextContent("All done"));
  host.emit({ event: "state", payload: { sessionId: "s1", seq: ++seq, at: 1, session: session("s1", { state: "idle", lastSeq: seq }) } });
  await vi.advanceTimersByTimeAsync(1000);
  expect(screen.getByRole("region")).toHaveTextContent("All done");
  await vi.advanceTimersByTimeAsync(1500);
  expect(screen.queryByRole("region")).toBeNull();
});

test("what a user puts away comes back when it changes", async () => {
  todos = [todo("1", "pending")];
  await show();
  await userEvent.click(within(await panel()).getByRole("button", { name: /until they change/ }));
  expect(screen.queryByRole("region")).toBeNull();
  changed();
  await vi.advanceTimersByTimeAsync(500);
  expect(screen.queryByRole("region")).toBeNull();
  todos = [todo("1", "in_progress")];
  changed();
  await panel();
});

test("an older conversation has its list in what its tools were told, also when the program knows none", async () => {
  const tool = (id: string, content: string, state: string): Message => ({
    id, role: "assistant", at: 1,
    blocks: [{
      id: `b${id}`, type: "tool",
      tool: {
        toolUseId: `t${id}`, name: "TodoWrite", state, startedAt: 1,
        input: { todos: [{ content, status: "in_progress", activeForm: `${content} now` }, { content: "Else", status: "odd" }] },
      },
    }],
  });
  messages = [tool("m1", "Old", "done"), tool("m2", "New", "done"), tool("m3", "Failed", "error")];
  host.on("todo.list", () => Promise.reject(new HostError("not_found", "There is no such session.")));
  await show();
  expect(await panel()).toHaveTextContent("0 of 2New now");
});
