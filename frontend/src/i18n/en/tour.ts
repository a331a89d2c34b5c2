/** The guided tour: what is said of it, and the names of its steps, by their ids. */
export const tour = {
  take: "Take the tour",
  label: "The tour",
  next: (what: string) => `Next: ${what}`,
  steps: {
    welcome: "Start the tour",
    command: "Next: run a command",
    question: "Next: answer a question",
    plan: "Next: review a plan",
    diff: "Next: change a file",
    undo: "Undo it",
    end: "What to do next",
  },
  skip: "Skip the rest",
  leave: "Start your own session",
};
