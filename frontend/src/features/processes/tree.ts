// The processes as a user looks at them: each session's CLI, and under it what
// descends from that. The program gives them in order of their parents.

import type { ProcessInfo } from "../../host/border.gen";

export interface Group {
  /** The pid of what heads it. */
  pid: number;
  head: ProcessInfo;
  below: ProcessInfo[];
  /** Of all of them together. */
  cpuPercent: number;
  bytes: number;
}

/** Groups descendants under the CLI of their session; what has none stands by itself. Parley's own parts are in no group. */
export function groups(processes: readonly ProcessInfo[]): Group[] {
  const made = processes.filter((p) => p.kind !== "descendant" && p.kind !== "parley").map(group);
  for (const process of processes.filter((p) => p.kind === "descendant")) {
    const owner = made.find((g) => g.head.kind === "cli" && g.head.sessionId === process.sessionId);
    if (!owner) {
      made.push(group(process));
      continue;
    }
    owner.below.push(process);
    owner.cpuPercent += process.cpuPercent;
    owner.bytes += process.bytes;
  }
  return made.toSorted((a, b) => a.head.startedAt - b.head.startedAt || a.pid - b.pid);
}

function group(head: ProcessInfo): Group {
  return { pid: head.pid, head, below: [], cpuPercent: head.cpuPercent, bytes: head.bytes };
}

/** How much of the whole a part is, from 0 to 1. */
export function share(part: number, whole: number): number {
  return whole > 0 ? Math.min(1, part / whole) : 0;
}
