import { number, plural } from "..";

export const processes = {
  title: "Processes",
  about: "Parley itself, and what each session runs: Claude Code and whatever it has started.",
  reading: "Looking at the processes…",
  orphans: (n: number) => `${number(n)} ${plural(n, { one: "process", other: "processes" })} of an earlier Parley ${plural(n, { one: "was", other: "were" })} ended at start.`,
  sessions: "Sessions",
  none: "No session has a process now. The next prompt starts one.",
  probe: "Asking the CLI what it can do",
  inAll: (size: string) => `${size} in all`,
  open: "Open this session",
  ofOneCore: "Of one core",
  endNamed: (name: string) => `End ${name}`,
  askNamed: (name: string) => `End ${name}?`,
  askBelow: "End it and what it started?",
  ask: "End it? A running turn stops; what was said is kept.",
  end: "End",
  keep: "Keep",
};
