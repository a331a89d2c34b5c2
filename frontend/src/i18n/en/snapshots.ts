import { plural } from "../format";

/** Backups of Parley's data, and restoring one. */
export const snapshots = {
  title: "Snapshots",
  about: "Copies of sessions, rules, settings, heartbeats, memory, and Mattermost roles. Parley takes one each hour if something changed. Conversations are Claude Code’s own files and aren’t included.",
  take: "Take snapshot",
  taken: "Snapshot taken.",
  same: "Nothing has changed since the latest snapshot.",
  none: "No snapshots yet. Parley takes the first one a minute after it starts.",
  failed: (why: string) => `Couldn’t take the last snapshot: ${why}`,
  list: "Snapshots, newest first",
  size: "Size",
  counts: {
    sessions: (n: number, shown: string) => plural(n, { one: "1 session", other: `${shown} sessions` }),
    rules: (n: number, shown: string) => plural(n, { one: "1 rule", other: `${shown} rules` }),
    drafts: (n: number, shown: string) => plural(n, { one: "1 draft", other: `${shown} drafts` }),
    prompts: (n: number, shown: string) => plural(n, { one: "1 queued prompt", other: `${shown} queued prompts` }),
  },
  files: "Files",
  left: (names: string) => `Not included: ${names}`,
  useless: (why: string) => `Can’t be restored: ${why}`,
  restore: "Restore…",
  restoreOf: (when: string) => `Restore snapshot of ${when}`,
  sure: "Parley stops everything that is running and restarts with this snapshot. The replaced data is moved aside in the data folder, not deleted. Nothing you allowed applies until you review it.",
  doIt: "Restore and restart",
  beginning: "Restarting Parley…",
  later: "The snapshot is restored when Parley next starts. Quit Parley and start it again.",
};
