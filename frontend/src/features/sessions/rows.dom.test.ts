import { describe, expect, it } from "vitest";
import type { Entry } from "../../store/listing";
import { groupSize, plainRows, type Row, rowsOf, type View } from "./rows";

const now = new Date(2026, 10, 21, 12).getTime();
const day = 24 * 3_600_000;

function entry(id: string, change: Partial<Entry> = {}): Entry {
  return {
    id,
    place: "list",
    title: id,
    cwd: "/home/ada/parley",
    workspaceId: "w1",
    pinned: false,
    waiting: false,
    busy: false,
    unread: false,
    quiet: false,
    at: now,
    ...change,
  };
}

function view(change: Partial<View> = {}): View {
  return {
    grouping: "workspace",
    filter: "",
    folded: new Set(),
    whole: new Set(),
    loud: new Set(),
    current: null,
    workspaces: new Map([
      ["w2", { title: "Notes", pinned: true }],
      ["w1", { title: "parley", pinned: false }],
      ["w3", { title: "empty", pinned: false }],
    ]),
    now,
    ...change,
  };
}

/** A short description of each row. */
const words = (rows: Row[]) =>
  rows.map((row) => {
    switch (row.kind) {
      case "heading":
        return `# ${row.title}`;
      case "group":
        return `${row.open ? "v" : ">"} ${row.title} ${row.count}`;
      case "session":
        return `${row.section} ${row.id}`;
      case "more":
        return `+${row.hidden}`;
      case "quiet":
        return `${row.open ? "v" : ">"} quiet ${row.count}`;
    }
  });

describe("by workspace", () => {
  it("has who waits first, then the pinned ones, then the workspaces in their order", () => {
    const rows = rowsOf(
      [
        entry("a"),
        entry("b", { waiting: true, pinned: true }),
        entry("c", { pinned: true }),
        entry("d", { workspaceId: "w2" }),
        entry("e", { workspaceId: "gone" }),
      ],
      view(),
    );
    expect(words(rows)).toEqual([
      "# Waiting for you",
      "waiting b",
      "# Pinned",
      "pinned c",
      "v Notes 1",
      "group d",
      "v parley 1",
      "group a",
      "v Other folders 1",
      "time e",
    ]);
  });

  it("keeps a pinned workspace without sessions, and no other", () => {
    expect(words(rowsOf([], view()))).toEqual(["v Notes 0"]);
  });

  it("shows the newest of a large group until all are asked for", () => {
    const many = Array.from({ length: groupSize + 2 }, (_, i) => entry(`s${i}`));
    expect(words(rowsOf(many, view())).slice(-2)).toEqual([`group s${groupSize - 1}`, "+2"]);
    expect(words(rowsOf(many.slice(1), view())).at(-1)).toBe(`group s${groupSize + 1}`);
    expect(words(rowsOf(many, view({ whole: new Set(["w1"]) }))).at(-1)).toBe(`group s${groupSize + 1}`);
  });

  it("shows the session that the user is in, however old it is", () => {
    const many = Array.from({ length: groupSize + 4 }, (_, i) => entry(`s${i}`));
    const last = `s${groupSize + 2}`;
    expect(words(rowsOf(many, view({ current: last }))).slice(-3)).toEqual([`group s${groupSize - 1}`, `group ${last}`, "+3"]);
    expect(words(rowsOf(many, view({ current: "s1" }))).slice(-2)).toEqual([`group s${groupSize - 1}`, "+4"]);
  });

  it("folds a group, but not while something is looked for", () => {
    const folded = new Set(["w1"]);
    expect(words(rowsOf([entry("a")], view({ folded })))).toEqual(["v Notes 0", "> parley 1"]);
    expect(words(rowsOf([entry("a")], view({ folded, filter: "a" })))).toEqual(["v parley 1", "group a"]);
  });
});

describe("the filter", () => {
  const entries = [
    entry("a", { title: "Fix the upload" }),
    entry("b", { title: "", cwd: "/srv/Upload" }),
    entry("c", { title: "Sort", workspaceId: "w2" }),
  ];
  it.each([
    ["upload", ["a", "b"]],
    ["UPLOAD fix", ["a"]],
    ["new sess", ["b"]],
    ["notes", ["c"]],
    ["nothing", []],
  ])("%s", (filter, found) => {
    expect(plainRows(entries, view({ filter })).map((row) => row.kind === "session" && row.id)).toEqual(found);
  });
});

it("by time names days, weeks and months", () => {
  const entries = [0, 1, 3, 20, 21, 60].map((days) => entry(`d${days}`, { at: now - days * day }));
  const month = (days: number) =>
    new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" }).format(now - days * day);
  expect(words(rowsOf(entries, view({ grouping: "time" })))).toEqual([
    "# Today", "time d0", "# Yesterday", "time d1", "# Last 7 days", "time d3",
    `# ${month(20)}`, "time d20", ...(month(20) === month(21) ? [] : [`# ${month(21)}`]), "time d21", `# ${month(60)}`, "time d60",
  ]);
});

describe("runs that found nothing", () => {
  const quiet = (id: string, change: Partial<Entry> = {}) => entry(id, { quiet: true, ...change });

  it("are one row at the end of their workspace, until the user unfolds it", () => {
    const entries = [entry("a"), quiet("q1"), quiet("q2"), quiet("q3", { workspaceId: "" })];
    expect(words(rowsOf(entries, view()))).toEqual(["v Notes 0", "v parley 3", "group a", "> quiet 2", "v Other folders 1", "> quiet 1"]);
    expect(words(rowsOf(entries, view({ loud: new Set(["w1"]) })))).toEqual(["v Notes 0", "v parley 3", "group a", "v quiet 2", "group q1", "group q2", "v Other folders 1", "> quiet 1"]);
  });

  it("stay in sight while they run, are looked at or looked for, wait, or are pinned", () => {
    const entries = [quiet("runs", { busy: true }), quiet("here"), quiet("asks", { waiting: true }), quiet("kept", { pinned: true }), quiet("gone")];
    expect(words(rowsOf(entries, view({ current: "here" }))).slice(-4)).toEqual(["v parley 3", "group runs", "group here", "> quiet 1"]);
    expect(words(rowsOf(entries, view({ filter: "gone" })))).toEqual(["v parley 1", "group gone"]);
  });

  it("are one row in each day", () => {
    const entries = [entry("a"), quiet("q1"), entry("b"), quiet("q2", { at: now - day })];
    expect(words(rowsOf(entries, view({ grouping: "time" })))).toEqual(["# Today", "time a", "time b", "> quiet 1", "# Yesterday", "> quiet 1"]);
  });
});

describe("a session keeps its row", () => {
  const key = (rows: Row[]) => rows.find((row) => row.kind === "session")?.key;
  const one = [entry("a")];
  it.each([
    ["its folder becomes known", view({ workspaces: new Map() }), view()],
    ["it is listed by time", view(), view({ grouping: "time" })],
  ])("when %s", (_, before, after) => {
    expect(key(rowsOf(one, before))).toBe(key(rowsOf(one, after)));
  });
});
