/** The guided tour and the names of its steps, by id. */
export const tour = {
  take: "Take the tour",
  label: "Tour",
  next: (what: string) => `Next: ${what}`,
  steps: {
    welcome: "Start the tour",
    command: "Next: run a command",
    question: "Next: answer a question",
    plan: "Next: review a plan",
    diff: "Next: change a file",
    undo: "Undo the change",
    end: "What to do next",
  },
  skip: "Skip tour",
  leave: "Start a session",
};
