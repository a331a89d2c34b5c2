// A user's sessions of some months: made up, the same every time.

import { HostError } from "../src/host/host";
import type { Handlers } from "../src/host/fake";
import type { Session, Workspace } from "../src/host/border.gen";
import { library, session, workspace } from "./fixtures";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const folders: [string, Partial<Workspace>][] = [
  ["/home/ada/projects/parley", { pinned: true, branch: "main" }],
  ["/home/ada/projects/engine", { branch: "nightly-build" }],
  ["/home/ada/projects/weather-station", { branch: "feature/rain-sensor-calibration" }],
  ["/home/ada/notes", { general: true }],
  ["/home/ada/projects/website", { branch: "main", worktree: true }],
  ["/home/ada/old/atlas", { folder: "gone" }],
];

const verbs = ["Fix", "Explain", "Speed up", "Test", "Port", "Document", "Review", "Untangle", "Measure", "Rename"];
const things = [
  "the upload queue", "the settings page", "how dates are parsed", "the nightly build", "the search index",
  "the login form", "reading of large files", "the chart of rainfall", "error messages", "the release notes",
  "the retry of failed jobs", "a flaky test", "the order of migrations", "keyboard shortcuts",
];

/** Numbers that look random and are the same in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

export function manySessions(count: number, now: number): { sessions: Session[]; workspaces: Workspace[] } {
  const roll = dice(7);
  const workspaces = folders.map(([path, change], i) => workspace(`w${i}`, path, change));
  const sessions = Array.from({ length: count }, (_, i) => {
    const w = Math.min(roll(workspaces.length), roll(workspaces.length));
    return session(`n${i}`, {
      title: `${verbs[roll(verbs.length)]} ${things[roll(things.length)]}`,
      cwd: folders[w]?.[0] ?? "",
      workspaceId: `w${w}`,
      origin: roll(3) === 0 ? "cli" : "parley",
      lastActivityAt: now - Math.floor(i ** 1.6 * 40 * minute) - roll(40) * minute,
      messages: roll(300),
    });
  });
  const change = (at: number, what: Partial<Session>) => Object.assign(sessions[at] ?? {}, what);
  change(0, { state: "running", pid: 4711, lastActivityAt: now - 20_000 });
  change(1, { state: "waiting", openQuestions: 1, pid: 4712, lastActivityAt: now - 3 * minute });
  change(2, { unread: true, pid: 4713 });
  change(3, { pinned: true, title: "Release checklist" });
  change(5, { state: "failed", error: { code: "cli_exited", message: "Claude Code stopped unexpectedly (exit code 1)." } });
  change(7, { pinned: true, title: "How the meter counts", lastActivityAt: now - 9 * day });
  change(8, { interrupted: true });
  change(11, { unread: true });
  return { sessions, workspaces };
}

/** What a host answers that has these sessions. */
export function sessionHandlers(count: number, now: number): Handlers {
  const { sessions, workspaces } = manySessions(count, now);
  const archived = manySessions(4, now).sessions.map((s, i) => ({ ...s, id: `a${i}`, pid: 0, state: "idle", openQuestions: 0, pinned: false, archivedAt: now - day }));
  const trash = manySessions(3, now).sessions.map((s, i) => ({ ...s, id: `t${i}`, pid: 0, state: "idle", openQuestions: 0, pinned: false, deletedAt: now - i * hour }));
  const find = (id: string) => {
    const found = [...sessions, ...archived, ...trash].find((s) => s.id === id);
    if (!found) throw new HostError("not_found", "There is no such session.");
    return found;
  };
  const change = (what: (s: Session) => Partial<Session>) => ({ sessionId }: { sessionId: string }) =>
    ({ ...Object.assign(find(sessionId), what(find(sessionId))) });
  const findWorkspace = (id: string) => workspaces.find((w) => w.id === id) ?? workspace(id, "/");
  return {
    "session.list": ({ limit = 200, offset = 0, archived: put, trash: deleted }) => {
      const list = deleted ? trash : put ? archived : sessions;
      return { sessions: list.slice(offset, offset + limit).map((s) => ({ ...s })), total: list.length };
    },
    "session.get": ({ sessionId }) => ({ ...find(sessionId) }),
    "session.rename": ({ sessionId, title }) => change(() => ({ title }))({ sessionId }),
    "session.pin": ({ sessionId, pinned }) => change(() => ({ pinned }))({ sessionId }),
    "session.archive": change(() => ({ archivedAt: Date.now() })),
    "session.unarchive": change(() => ({ archivedAt: 0 })),
    "session.delete": change(() => ({ deletedAt: Date.now() })),
    "session.restore": change(() => ({ deletedAt: 0 })),
    "session.purge": () => ({}),
    "session.markRead": () => ({}),
    "workspace.list": () => ({ workspaces: workspaces.map((w) => ({ ...w })) }),
    "workspace.rename": ({ workspaceId, name }) => ({ ...Object.assign(findWorkspace(workspaceId), { name, title: name }) }),
    "workspace.pin": ({ workspaceId, pinned }) => ({ ...Object.assign(findWorkspace(workspaceId), { pinned }) }),
    "workspace.setDefaults": ({ workspaceId, defaults }) => ({ ...Object.assign(findWorkspace(workspaceId), { defaults }) }),
    "library.status": () => library({ onDisk: count + 56, shown: count, hidden: { empty: 31, warmup: 17, sidechain: 7, damaged: 1 } }),
  };
}
