export const desk = {
  ago: { now: "now", minutes: (n: number) => `${n}m`, hours: (n: number) => `${n}h`, days: (n: number) => `${n}d` },
  notices: {
    done: "Finished.",
    question: "Waiting for your answer.",
    plan: "The plan is ready for your review.",
    failed: "Failed.",
    found: "Found something.",
    stopped: "Stopped and no longer running.",
    untitled: "New session",
  },
  quiet: {
    menu: "Notifications",
    off: "Notifications are on",
    on: "Do not disturb",
    until: (when: string) => `Do not disturb until ${when}`,
    choices: { off: "Notifications on", hour: "Do not disturb for 1 hour", tomorrow: "Do not disturb until 8:00 tomorrow", on: "Do not disturb until turned off" },
    short: { off: "Off", hour: "For an hour", tomorrow: "Until tomorrow", on: "On" },
  },
};
