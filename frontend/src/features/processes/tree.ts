// Groups the processes for display: each session's CLI with its descendants. The program lists parents before children.

import type { ProcessInfo } from "../../host/border.gen";

export interface Group {
  /** The pid of the group's root. */
  pid: number;
  head: ProcessInfo;
  below: ProcessInfo[];
  /** The total of the group. */
  cpuPercent: number;
  bytes: number;
}

/** Groups descendants under the CLI of their session; other processes are their own group. Parley's own parts are in no
 * group. */
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

/** A part's share of the whole, from 0 to 1. */
export function share(part: number, whole: number): number {
  return whole > 0 ? Math.min(1, part / whole) : 0;
}
