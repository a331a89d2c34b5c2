import { number, plural } from "../format";

export const processes = {
  title: "Processes",
  about: "Parley itself, and the processes of each session: Claude Code and everything it started.",
  reading: "Loading processes…",
  orphans: (n: number) => `${number(n)} leftover ${plural(n, { one: "process", other: "processes" })} of an earlier Parley ${plural(n, { one: "was", other: "were" })} ended at startup.`,
  heldByKernel: "The system groups all processes of a session and ends them with it, unless a program deliberately leaves the group.",
  heldByMarks: "Parley finds a session’s processes by their environment and parent. A program that drops both can outlive the session.",
  sessions: "Sessions",
  none: "No session has a running process. The next prompt starts one.",
  probe: "Checking CLI features",
  inAll: (size: string) => `${size} in total`,
  open: "Open session",
  ofOneCore: "Percentage of one core",
  endNamed: (name: string) => `End ${name}`,
  askNamed: (name: string) => `End ${name}?`,
  askBelow: "End this process and its child processes?",
  ask: "End this process? A running turn stops. The conversation is kept.",
  end: "End",
  keep: "Keep",
};
