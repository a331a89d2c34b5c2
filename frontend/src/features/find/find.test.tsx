import { cleanup, render, screen, waitFor } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { FindHit, FindPage } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { Markdown } from "../../ui/markdown";
import { renderApp } from "../../test/render";
import { FindBar } from "./FindBar";
import { pattern, rangesIn } from "./marks";

const hit = (messageId: string, count = 1): FindHit => ({
  messageId, parentToolUseId: "", blockId: "b", kind: "answer", tool: "", at: 1, count, snippet: "needle", marks: [],
});
const page = (hits: FindHit[], before = ""): FindPage => ({
  hits, places: hits.reduce((n, h) => n + h.count, 0), messages: 10, total: 30, before,
});

let host: FakeHost;
let closed: number;
beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  closed = 0;
  host = createFakeHost({
    "session.list": () => ({ sessions: [session("s1")], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "session.findMessage": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open(): Promise<HTMLElement> {
  await renderApp(host, () => <FindBar sessionId="s1" asked={1} root={() => document.body} onClose={() => closed++} />);
  const field = screen.getByRole("textbox");
  expect(field).toHaveFocus();
  return field;
}
const gone = () => host.callsOf("session.findMessage").map((p) => p.messageId);

test("finds in parts, from the end back, and goes from place to place around the ends", async () => {
  const parts: Record<string, FindPage> = { "": page([hit("m8", 2), hit("m9")], "c1"), c1: page([], "c2"), c2: page([hit("m1")]) };
  host.on("session.find", ({ before }) => parts[before ?? ""] ?? page([]));
  const field = await open();
  await userEvent.type(field, "needle");
  await screen.findByText("1 of 4");
  expect(host.callsOf("session.find").map((p) => [p.text, p.before])).toEqual([["needle", ""], ["needle", "c1"], ["needle", "c2"]]);
  expect(screen.getByRole("status")).toHaveTextContent("4 results");
  for (const want of ["2 of 4", "3 of 4", "4 of 4", "1 of 4"]) {
    await userEvent.keyboard("{Enter}");
    await screen.findByText(want);
  }
  await userEvent.keyboard("{Shift>}{Enter}{/Shift}");
  await screen.findByText("4 of 4");
  await waitFor(() => expect(gone()).toEqual(["m9", "m8", "m8", "m1", "m9", "m1"]));
});

test("what is typed meanwhile counts, not what comes late", async () => {
  let answer: (page: FindPage) => void = () => {};
  const late = new Promise<FindPage>((resolve) => (answer = resolve));
  host.on("session.find", ({ text }) => (text === "n" ? late : page([hit("m2", 7)])));
  const field = await open();
  await userEvent.type(field, "n");
  await waitFor(() => expect(host.callsOf("session.find")).toHaveLength(1));
  await userEvent.type(field, "o");
  await screen.findByText("1 of 7");
  answer(page([hit("m1", 3)]));
  await vi.advanceTimersByTimeAsync(50);
  expect(screen.getByText("1 of 7")).toBeInTheDocument();
});

test("says that there is nothing, and why it failed; options ask again", async () => {
  host.on("session.find", ({ matchCase, words }) => {
    if (matchCase && words) throw new HostError("not_found", "There is no such session.");
    return page([]);
  });
  const field = await open();
  await userEvent.type(field, "x");
  await screen.findByText("No results");
  await userEvent.click(screen.getByRole("button", { name: "Match case" }));
  await userEvent.click(screen.getByRole("button", { name: "Whole words" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("There is no such session.");
  expect(screen.getByRole("button", { name: /Older match/ })).toBeDisabled();
  await userEvent.keyboard("{Escape}");
  expect(closed).toBe(1);
});

test("places are found over several nodes, in order, and not in what is not seen", () => {
  render(() => (
    <div data-testid="root">
      <p>
        one nee<b>dle</b> and Needle<span class="visually-hidden">needle</span>
      </p>
      <pre>needless</pre>
      <button>needle</button>
    </div>
  ));
  const find = (text: string, words = false, matchCase = false) => {
    const made = pattern({ text, words, matchCase });
    return made ? rangesIn(screen.getByTestId("root"), made).map(String) : null;
  };
  expect(find("needle")).toEqual(["needle", "Needle", "needle"]);
  expect(find("needle", true)).toEqual(["needle", "Needle"]);
  expect(find("needle", false, true)).toEqual(["needle", "needle"]);
  expect(find("e.d")).toEqual([]);
  expect(find("")).toBeNull();
});

test("places are found in what is read, as it stands there", () => {
  const words = "**par**ley, [par*ley*](https://example.org/parley) and\nparley  \nparley\n\n- [x] Done\n\n```parley\nparley\nparley\n```\n";
  render(() => (
    <div data-testid="root">
      <Markdown text={words} />
    </div>
  ));
  const find = (text: string) => {
    const made = pattern({ text, words: false, matchCase: false });
    return made ? rangesIn(screen.getByTestId("root"), made).map(String) : null;
  };
  expect(find("parley")).toEqual(Array.from({ length: 6 }, () => "parley"));
  expect(find("and parley")).toEqual(["and\nparley"]);
  expect(find("parley parley")).toEqual([]);
  expect(find("done")).toEqual(["Done"]);
  expect(find("example.org")).toEqual([]);
});

test.each(["a.c", "(", "[x", "$1", "^", "\\d", "x-y", "{2}", "/"])("%s is text, not a pattern", (text) => {
  render(() => <p data-testid="p">{`before ${text} after`}</p>);
  const find = pattern({ text, words: false, matchCase: false });
  expect(find && rangesIn(screen.getByTestId("p"), find).map(String)).toEqual([text]);
});
