// Helpers to browse the audit log.

import type { AuditListParams } from "../../host/border.gen";
import type { Host } from "../../host/host";

/** A filter of records, for a page of them or for all. */
export type AuditFilter = Omit<AuditListParams, "limit" | "before">;

export const outcomes = ["asked", "allow", "deny", "expired", "withdrawn", "remembered", "lost", "made", "changed", "removed", "done", "refused", "accepted", "undone"] as const;
export const answerers = ["window", "gateway", "device", "rule", "guard", "reviewer", "timeout", "cli", "parley"] as const;
export const times = { all: 0, day: 1, week: 7, month: 30 } as const;
export const timeIds = Object.keys(times) as (keyof typeof times)[];

/** The user's filter; "" matches all. */
export interface Chosen {
  session: string;
  tool: string;
  outcome: string;
  by: string;
  time: keyof typeof times;
}

export const everything: Chosen = { session: "", tool: "", outcome: "", by: "", time: "all" };

/** The filter in the program's format. */
export function filterOf(chosen: Chosen, now: number): AuditFilter {
  const { session, tool, outcome, by, time } = chosen;
  return {
    ...(session ? { sessionId: session } : {}),
    ...(tool.trim() ? { tool: tool.trim() } : {}),
    ...(outcome ? { outcome } : {}),
    ...(by ? { by } : {}),
    ...(time === "all" ? {} : { since: now - times[time] * 86_400_000 }),
  };
}

/** All records that match the filter, verbatim from the files, oldest first. */
export async function exported(host: Host, filter: AuditFilter): Promise<string> {
  const parts: string[] = [];
  let after = 0;
  do {
    const part = await host.call("audit.export", { ...filter, ...(after > 0 ? { after } : {}) });
    parts.push(part.text);
    after = part.next;
  } while (after > 0);
  return parts.join("");
}
