// The features of the page are rooms: what one of them uses of another stands here, and
// goes one way. The layers below them are held by the linter (.oxlintrc.json).

import { expect, test } from "vitest";

/** For each feature, what others use of it, and which others. The program's root (app.tsx) may use everything. */
const doors: Record<string, Record<string, string>> = {
  approval: {
    Findings: "permissions",
    QuestionDock: "permissions session",
    ToolQuestion: "permissions",
    answer: "permissions",
    "answer-by-text": "composer session",
  },
  choices: {
    ChoicePickers: "heartbeats mattermost newsession sessions settings",
    ModeChip: "composer start",
    ModelChip: "composer start",
    Picker: "folder heartbeats profiles start",
    model: "composer profiles settings start",
    names: "heartbeats profiles",
  },
  composer: {
    Composer: "session",
    box: "rooms",
    recovery: "timeline",
  },
  export: {
    ExportDialog: "session",
  },
  find: {
    FindBar: "session",
  },
  folder: {
    FolderDialog: "memory newsession start",
    FolderField: "heartbeats mattermost",
    recent: "newsession start",
  },
  heartbeats: {
    HeartbeatsPlace: "panes",
    HeartbeatsLine: "sessions",
  },
  inspector: {
    Inspector: "session",
    "files/UndoTurn": "timeline",
    layout: "session",
  },
  mattermost: {
    AuthorName: "composer timeline",
    MattermostPlace: "panes",
    MattermostLine: "sessions",
    MirrorChip: "session",
    MirrorDefault: "sessions",
    MirrorDialog: "panes",
  },
  memory: {
    InjectedLine: "meter",
    MemoryPlace: "panes",
  },
  meter: {
    ContextTab: "inspector",
    Meter: "session",
  },
  newsession: {
    model: "start",
  },
  panes: {
    keys: "switcher",
  },
  permissions: {
    PermissionsPlace: "panes",
    WaitingButton: "sessions",
    WaitingDialog: "panes",
    waiting: "switcher",
  },
  processes: {
    ProcessesPlace: "panes",
  },
  profiles: {
    ProfilesPage: "settings",
  },
  rooms: {
    RoomsPlace: "panes",
    RoomsLine: "sessions",
    notify: "panes",
  },
  search: {
    SearchDialog: "panes",
    link: "timeline",
  },
  session: {
    SessionPane: "panes",
    StateDot: "panes sessions switcher",
  },
  sessions: {
    "allowed-actions": "switcher",
    model: "switcher",
  },
  settings: {
    diagnostics: "switcher",
    look: "switcher",
    registry: "switcher",
  },
  shell: {
    Banners: "session",
    QuietMenu: "settings",
    restart: "switcher",
  },
  start: {
    SignIn: "timeline",
    install: "settings",
  },
  timeline: {
    ErrorNotice: "shell",
    SafeTimeline: "session",
    Timeline: "session",
  },
  todos: {
    TodoPanel: "session",
  },
  tools: {
    ToolCard: "timeline",
    note: "timeline",
  },
  toolsets: {
    ToolSets: "sessions settings",
  },
  tour: {
    TourSteps: "timeline",
  },
  usage: {
    SessionUsage: "meter",
    UsagePlace: "panes",
  },
};

const sources = import.meta.glob<string>(["../features/**/*.ts", "../features/**/*.tsx"], { query: "?raw", import: "default", eager: true });
/** These render or test things from anywhere. */
const outside = /\.(?:test|bench)\.tsx?$|\/gallery\.tsx$|\/test-[\w-]+\.tsx$/;

interface Use {
  by: string;
  of: string;
  door: string;
}

function usesOf(path: string, source: string): Use[] {
  const [by = "", ...inside] = path.replace("../features/", "").split("/");
  const here = inside.slice(0, -1);
  return [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"((?:\.\.?\/)[^"]+)"/g)].flatMap(([, to = ""]) => {
    const at = new URL(to, `page:/features/${[by, ...here].join("/")}/`).pathname.slice(1).split("/");
    const [root, of = "", ...door] = at;
    return root === "features" && of !== by ? [{ by, of, door: door.join("/") }] : [];
  });
}

const uses = Object.entries(sources).flatMap(([path, source]) => (outside.test(path) ? [] : usesOf(path, source)));
const written = ({ by, of, door }: Use) => `${by} uses ${of}/${door}`;

test("features use of each other what is listed, and all that is listed is used", () => {
  const listed = Object.entries(doors).flatMap(([of, files]) => Object.entries(files).flatMap(([door, users]) => users.split(" ").map((by) => written({ by, of, door }))));
  expect([...new Set(uses.map(written))].toSorted()).toEqual(listed.toSorted());
});

test("no feature is used by what it uses", () => {
  const next = (feature: string) => [...new Set(uses.filter((use) => use.by === feature).map((use) => use.of))];
  const done = new Set<string>();
  const follow = (feature: string, way: readonly string[]): void => {
    expect(way, [...way, feature].join(" → ")).not.toContain(feature);
    if (done.has(feature)) return;
    for (const other of next(feature)) follow(other, [...way, feature]);
    done.add(feature);
  };
  for (const feature of new Set(uses.map((use) => use.by))) follow(feature, []);
});

// What others in the same pane need, a part offers (store/pane.tsx). document is held by the linter,
// and the panes' own feature knows what is under the pointer.
test("nothing finds its way to another part by the names of what is around it", () => {
  const around = /\.closest(?:<[^>]*>)?\(\s*["'`]\[data-(?:component|pane|page)\b[^)]*/g;
  const found = Object.entries(sources).flatMap(([path, source]) => (outside.test(path) || path.includes("/panes/") ? [] : [...source.matchAll(around)].map(([call]) => `${path}: ${call}`)));
  expect(found).toEqual([]);
  expect(`root.closest<HTMLElement>('[data-component="session-pane"]')`).toMatch(around);
});

test("an import is found in every form", () => {
  const found = (source: string) => usesOf("../features/one/inner/A.tsx", source).map(written);
  expect(found('import { x } from "../../two/x";')).toEqual(["one uses two/x"]);
  expect(found('export { x } from "../../two/x";')).toEqual(["one uses two/x"]);
  expect(found('import type { X } from "../../two/deep/x";')).toEqual(["one uses two/deep/x"]);
  expect(found('lazy(async () => import("../../two/x"))')).toEqual(["one uses two/x"]);
  expect(found('import "../../two/x.css";')).toEqual(["one uses two/x.css"]);
  expect(found('import { x } from "../x"; import { y } from "../../../ui/y"; import z from "./z";')).toEqual([]);
});
