// Readings never stay stale: anything that may have changed is requested again.

import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Task } from "../host/border.gen";
import { createFakeHost, type FakeHost } from "../host/fake";
import { type App, AppProvider } from "./context";
import type { Follower } from "./intake";
import { createReading, type Reading, type Until } from "./reading";
import { HostError, type Result } from "../host/host";

type Tasks = Result<"task.list">;

let host: FakeHost;
let tasks: string[];
let follower: Follower | undefined;
let end = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  tasks = ["one"];
  follower = undefined;
  host = createFakeHost({ "task.list": () => ({ tasks: tasks.map(task) }) as Tasks });
});
afterEach(() => {
  end();
  vi.useRealTimers();
});

const task = (taskId: string) => ({ taskId }) as Task;
const calls = () => host.callsOf("task.list").length;
const rest = () => vi.advanceTimersByTimeAsync(0);
const done = (sessionId = "s1", event = "done") => ({ event, payload: { sessionId, seq: 1 } }) as never;

function read(until: Until<Tasks> = {}, params = () => ({ sessionId: "s1" })): Reading<Tasks> {
  let reading!: Reading<Tasks>;
  const app = { host, follow: (f: Follower) => ((follower = f), () => (follower = undefined)) } as unknown as App;
  createRoot((dispose) => {
    end = dispose;
    AppProvider({
      app,
      get children() {
        reading = createReading("task.list", params, until);
        return null;
      },
    });
  });
  return reading;
}

const names = (reading: Reading<Tasks>) => reading.answer()?.tasks.map((t) => t.taskId);

test("it is read again when the link comes back", async () => {
  const reading = read();
  await rest();
  expect(names(reading)).toEqual(["one"]);
  host.setStatus({ kind: "closed", reason: "", retryAt: null });
  tasks = ["two"];
  await rest();
  expect(names(reading)).toEqual(["one"]);
  host.setStatus({ kind: "open" });
  await rest();
  expect(names(reading)).toEqual(["two"]);
});

test("it is read again when events of its session were missed, and of no other", async () => {
  const reading = read({ events: ({ event }) => event === "done" });
  await rest();
  tasks = ["two"];
  follower?.missed("s2");
  await rest();
  expect(names(reading)).toEqual(["one"]);
  follower?.missed("s1");
  await rest();
  expect(names(reading)).toEqual(["two"]);
});

test("it is read again after the events that it names", async () => {
  read({ globals: ["memory.changed"], events: ({ event }) => event === "done" });
  await rest();
  expect(calls()).toBe(1);
  host.emitGlobal({ event: "usage.changed", payload: {} } as never);
  follower?.applied([done("s2"), done("s1", "status")]);
  await rest();
  expect(calls()).toBe(1);
  host.emitGlobal({ event: "memory.changed", payload: {} } as never);
  await rest();
  expect(calls()).toBe(2);
  follower?.applied([done()]);
  await rest();
  expect(calls()).toBe(3);
});

test("events that come close are one, and such as never end do not keep it from being read", async () => {
  read({ events: () => true, settle: 100 });
  await rest();
  for (let i = 0; i < 3; i++) follower?.applied([done()]);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls()).toBe(2);
  for (let i = 0; i < 20; i++) {
    follower?.applied([done()]);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(calls()).toBe(4);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls()).toBe(5);
});

test("what an event says is in the answer, and an answer that was under way does not undo it", async () => {
  const reading = read({ take: (now, { event }) => (event === "task_update" ? { ...now, tasks: [...now.tasks, task("new")] } : now) });
  await rest();
  let answer = (_: Tasks) => {};
  host.on("task.list", () => new Promise<Tasks>((resolve) => (answer = resolve)));
  void reading.again();
  follower?.applied([done("s1", "task_update")]);
  expect(names(reading)).toEqual(["one", "new"]);
  host.on("task.list", () => ({ tasks: ["one", "new"].map(task) }) as Tasks);
  answer({ tasks: [task("one")] } as Tasks);
  await rest();
  expect(names(reading)).toEqual(["one", "new"]);
});

test("what came another way is newer than what is awaited", async () => {
  const reading = read();
  let answer = (_: Tasks) => {};
  host.on("task.list", () => new Promise<Tasks>((resolve) => (answer = resolve)));
  void reading.again();
  reading.put({ tasks: [task("new")] } as Tasks);
  expect([names(reading), reading.busy()]).toEqual([["new"], false]);
  answer({ tasks: [task("old")] } as Tasks);
  await rest();
  expect(names(reading)).toEqual(["new"]);
});

test("the answer about another session is dismissed at once", async () => {
  const [id, setId] = createSignal("s1");
  const reading = read({ about: id }, () => ({ sessionId: id() }));
  await rest();
  host.on("task.list", () => new Promise<Tasks>(() => {}));
  setId("s2");
  expect(reading.answer()).toBeNull();
  expect(host.callsOf("task.list").at(-1)).toEqual({ sessionId: "s2" });
});

test("a failure is shown, and gone with the next answer", async () => {
  const reading = read();
  await rest();
  host.on("task.list", () => Promise.reject(new HostError("internal", "The disk is full.")));
  await reading.again();
  expect([reading.error(), names(reading), reading.busy()]).toEqual(["The disk is full.", ["one"], false]);
});
