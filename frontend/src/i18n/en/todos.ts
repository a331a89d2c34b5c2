export const todos = {
  title: "Tasks",
  count: (done: number, all: number) => `${done} of ${all}`,
  allDone: "All done",
  next: (what: string) => `Next: ${what}`,
  show: "Show tasks",
  hide: "Hide tasks until they change",
  states: { pending: "to do", in_progress: "in progress", completed: "done" },
  blockedBy: (ids: string) => `blocked by ${ids}`,
  unread: (n: number) => `Couldn’t read ${n} more.`,
};
