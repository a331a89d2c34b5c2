import { cleanup, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { library, session, user, workspace } from "../../../gallery/fixtures";
import type { SearchHit, SearchResult } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { linkTo, readLink } from "./link";
import { grouped, toParams } from "./model";
import { SearchDialog } from "./SearchDialog";
import { pieces } from "./snippet";

const hit = (change: Partial<SearchHit>): SearchHit => ({
  sessionId: "s1", title: "Uploads", cwd: "/home/ada/projects/parley", kind: "answer", tool: "", model: "", isError: false,
  at: 1_700_000_000_000, snippet: "a word here", marks: [{ start: 2, end: 6 }], target: "t1", messageId: "", ...change,
});
const found = (hits: SearchHit[], change: Partial<SearchResult> = {}): SearchResult => ({
  hits, total: hits.length, more: false, partial: false, tookMs: 1, ...change,
});

describe("a snippet", () => {
  test.each([
    ["plain", [], "plain"],
    ["one two", [[4, 7]], "one [two]"],
    ["😀 word 😀", [[3, 7]], "😀 [word] 😀"],
    ["overlap", [[4, 7], [0, 5]], "[overl][ap]"],
    ["short", [[3, 90], [-4, 1]], "[s]ho[rt]"],
    ["none", [[2, 2], [9, 12]], "none"],
    ["<b>x</b>", [[0, 3]], "[<b>]x</b>"],
  ])("%s", (text, marks, want) => {
    const made = pieces(text, marks.map(([start = 0, end = 0]) => ({ start, end })));
    expect(made.map((p) => (p.marked ? `[${p.text}]` : p.text)).join("")).toBe(want);
    expect(made.map((p) => p.text).join("")).toBe(text);
  });
});

describe("a query", () => {
  const none = { workspaceId: "", time: "", model: "", hasError: false, kind: "" };
  const now = 1_000 * 86_400_000;
  test.each([
    [{}, { text: "w" }],
    [{ workspaceId: "x", model: "opus", hasError: true }, { text: "w", workspaceId: "x", model: "opus", hasError: true }],
    [{ time: "week" }, { text: "w", since: 993 * 86_400_000 }],
    [{ time: "older" }, { text: "w", until: 635 * 86_400_000 }],
    [{ kind: "answer" }, { text: "w", kinds: ["answer", "thinking"] }],
  ])("%j", (change, want) => {
    expect(toParams("w", { ...none, ...change }, now)).toEqual(want);
  });

  test("hits stand by session, each where its best one is, and are counted as they are shown", () => {
    const groups = grouped([hit({ sessionId: "b" }), hit({ sessionId: "a" }), hit({ sessionId: "b", target: "t2" })]);
    expect(groups.map((g) => [g.sessionId, g.hits.map((h) => [h.hit.target, h.index])])).toEqual([
      ["b", [["t1", 0], ["t2", 1]]],
      ["a", [["t1", 2]]],
    ]);
  });
});

test("a link comes back as it went", () => {
  const link = { sessionId: "s/1", messageId: "msg 1%:0" };
  expect(readLink(` ${linkTo(link)}\n`)).toEqual(link);
  for (const text of ["", "word", "parley://session/a/message/", "parley://session/%/message/%"]) expect(readLink(text)).toBeNull();
});

describe("the panel", () => {
  let host: FakeHost;
  beforeEach(() => {
    host = createFakeHost({
      "session.list": () => ({ sessions: [session("s1", { title: "Uploads" })], total: 1 }),
      "permission.list": () => ({ requests: [] }),
      "workspace.list": () => ({ workspaces: [workspace("w1", "/home/ada/projects/parley", {})] }),
      "library.status": () => library(),
      "session.history": () => ({ messages: [user("u", "x")], total: 1, hasMore: false, before: "", seq: 0 }),
      "session.findMessage": () => ({ messages: [user("old", "x")], total: 1, hasMore: false, before: "", seq: 0 }),
      "search.query": () => found([hit({}), hit({ target: "t2", snippet: "<img src=x> word", marks: [{ start: 12, end: 16 }] })]),
    });
  });
  afterEach(cleanup);

  async function draw() {
    const app = await renderApp(host, () => <SearchDialog />);
    app.layout.setOverlay({ kind: "search", text: "" });
    const box = await screen.findByRole("combobox", { name: "Search all conversations" });
    return { app, box, user: userEvent.setup() };
  }

  test("finds as one types, goes along with the arrows, and jumps", async () => {
    const { app, box, user } = await draw();
    await user.type(box, "word");
    const list = await screen.findByRole("listbox");
    expect(host.callsOf("search.query").map((p) => p.text)).toEqual(["word"]);
    expect(within(list).getAllByRole("option")).toHaveLength(2);
    expect(list.querySelectorAll("img")).toHaveLength(0);
    expect([...list.querySelectorAll("mark")].map((m) => m.textContent)).toEqual(["word", "word"]);
    expect(screen.getByText("2 matches in 1 session")).toBeInTheDocument();
    await user.keyboard("{ArrowDown}");
    expect(within(list).getAllByRole("option", { selected: true })[0]).toHaveTextContent("<img src=x> word");
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(host.callsOf("session.findMessage")).toEqual([{ sessionId: "s1", target: "t2", limit: 60 }]));
    expect(app.layout.overlay()).toBeNull();
    expect(app.state.current).toBe("s1");
  });

  test("an answer that comes late is dropped", async () => {
    const answers: Record<string, () => void> = {};
    host.on("search.query", ({ text }) => new Promise((resolve) => (answers[text] = () => resolve(found([hit({ snippet: `for ${text}`, marks: [] })])))));
    const { box, user } = await draw();
    await user.type(box, "one");
    await vi.waitFor(() => expect(answers["one"]).toBeDefined());
    await user.type(box, "!");
    await vi.waitFor(() => expect(answers["one!"]).toBeDefined());
    answers["one!"]!();
    await screen.findByText("for one!");
    answers["one"]!();
    await Promise.resolve();
    expect(screen.getByText("for one!")).toBeInTheDocument();
    expect(screen.queryByText("for one")).toBeNull();
  });

  test("Enter goes to what is found for all that is typed, once it is there", async () => {
    const answers: Record<string, () => void> = {};
    host.on("search.query", ({ text }) => new Promise((resolve) => (answers[text] = () => resolve(found([hit({ target: `for ${text}`, snippet: `for ${text}`, marks: [] })])))));
    const { app, box, user } = await draw();
    await user.type(box, "zan");
    await vi.waitFor(() => expect(answers["zan"]).toBeDefined());
    answers["zan"]!();
    await screen.findByText("for zan");
    await user.type(box, " bar{Enter}");
    expect(app.layout.overlay()).not.toBeNull();
    await vi.waitFor(() => expect(answers["zan bar"]).toBeDefined());
    // Typing more cancels the Enter, and an answer to the earlier query changes nothing.
    await user.type(box, " cellar");
    answers["zan bar"]!();
    await screen.findByText("for zan bar");
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(answers["zan bar cellar"]).toBeDefined());
    expect(app.layout.overlay()).not.toBeNull();
    answers["zan bar cellar"]!();
    await vi.waitFor(() => expect(app.layout.overlay()).toBeNull());
    await vi.waitFor(() => expect(host.callsOf("session.findMessage").map((p) => p.target)).toEqual(["for zan bar cellar"]));
  });

  test("Enter goes nowhere when that cannot be found out", async () => {
    const { app, box, user } = await draw();
    await user.type(box, "word");
    await screen.findByRole("listbox");
    host.on("search.query", () => {
      throw new HostError("internal", "Something went wrong inside Parley.");
    });
    await user.type(box, "s{Enter}");
    await screen.findByRole("alert");
    await user.keyboard("{Enter}");
    host.on("search.query", () => found([hit({ target: "t9" })]));
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findAllByRole("option");
    expect(app.layout.overlay()).not.toBeNull();
    expect(host.callsOf("session.findMessage")).toEqual([]);
    await user.click(box);
    await user.keyboard("{Enter}");
    await vi.waitFor(() => expect(host.callsOf("session.findMessage").map((p) => p.target)).toEqual(["t9"]));
  });

  test("Enter goes to what was chosen among what is there, whatever is still looked for", async () => {
    const { box, user } = await draw();
    await user.type(box, "word");
    await screen.findByRole("listbox");
    host.on("search.query", () => new Promise(() => {}));
    await user.type(box, "s{ArrowDown}{Enter}");
    await vi.waitFor(() => expect(host.callsOf("session.findMessage").map((p) => p.target)).toEqual(["t2"]));
  });

  test("says that nothing was found, that it failed, and how far reading has come", async () => {
    const search = { busy: true, files: 10, filesDone: 4, bytes: 1000, bytesDone: 400, problem: "" };
    host.on("library.status", () => library({ search }));
    host.on("search.query", () => found([], { partial: true }));
    const { box, user } = await draw();
    await user.type(box, "w");
    await screen.findByText("No results");
    expect(screen.getByText("Still indexing: 40%")).toBeInTheDocument();
    host.on("search.query", () => {
      throw new HostError("internal", "Something went wrong inside Parley.");
    });
    await user.type(box, "x");
    expect(await screen.findByRole("alert")).toHaveTextContent("Something went wrong inside Parley.");
    host.on("search.query", () => found([hit({})]));
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findAllByRole("option")).toHaveLength(1);
  });

  test("filters narrow it, and more can be shown", async () => {
    host.on("search.query", ({ offset = 0 }) => found([hit({ target: `t${offset}` })], { total: 2 }));
    const { box, user } = await draw();
    await user.type(box, "w");
    await screen.findByRole("listbox");
    await user.click(screen.getByRole("button", { name: "Show more" }));
    await vi.waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(2));
    await user.click(screen.getByRole("button", { name: "Errors only" }));
    await vi.waitFor(() => expect(host.callsOf("search.query").at(-1)).toEqual({ text: "w", hasError: true, limit: 30, offset: 0 }));
  });

  test("a pasted link leads to its message", async () => {
    const { app, box, user } = await draw();
    await user.click(box);
    await user.paste("parley://session/s1/message/m7");
    await user.click(await screen.findByRole("button", { name: "Go to message" }));
    await vi.waitFor(() => expect(host.callsOf("session.findMessage")).toEqual([{ sessionId: "s1", messageId: "m7", limit: 60 }]));
    expect(host.callsOf("search.query")).toEqual([]);
    expect(app.state.current).toBe("s1");
  });
});
