export const desk = {
  ago: { now: "now", minutes: (n: number) => `${n}m`, hours: (n: number) => `${n}h`, days: (n: number) => `${n}d` },
  notices: {
    done: "Finished.",
    question: "Waits for your answer.",
    plan: "Waits for you to read its plan.",
    failed: "Failed.",
    found: "Found something.",
    stopped: "Was stopped and does not run any more.",
    untitled: "New session",
  },
  quiet: {
    menu: "Notifications",
    off: "Notifications are on",
    on: "Do not disturb",
    until: (when: string) => `Do not disturb until ${when}`,
    choices: { off: "Notifications", hour: "Do not disturb for an hour", tomorrow: "Do not disturb until tomorrow at 8:00", on: "Do not disturb until switched off" },
    short: { off: "Off", hour: "For an hour", tomorrow: "Until tomorrow", on: "On" },
  },
};
