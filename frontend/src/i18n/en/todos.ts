export const todos = {
  title: "Tasks",
  count: (done: number, all: number) => `${done} of ${all}`,
  allDone: "All done",
  next: (what: string) => `Next: ${what}`,
  show: "Show the tasks",
  hide: "Hide the tasks until they change",
  states: { pending: "to do", in_progress: "in progress", completed: "done" },
  blockedBy: (ids: string) => `waits for ${ids}`,
  unread: (n: number) => `${n} more could not be read.`,
};
