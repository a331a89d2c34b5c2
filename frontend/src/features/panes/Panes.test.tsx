import { cleanup, render, screen, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { assistant, info, session, user } from "../../../gallery/fixtures";
import type { Info, Message, Session } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { renderApp } from "../../test/render";
import { giveSizes } from "../../test/sizes";
import type { App } from "../../store/context";
import { GlobalBanners } from "../shell/Banners";
import { Panes } from "./Panes";
import { targetAt } from "./drag";

let host: FakeHost;
let sessions: Session[];
let messages: Record<string, Message[]>;
let saved: Record<string, unknown>;

const hello = (id: string): Message[] => [user(`u-${id}`, `hello ${id}`)];
/** Invalid data that the page must survive. */
const broken = (): Message[] => [assistant("bad", [{ id: "b", type: "tool", tool: {} as never }])];

beforeEach(() => {
  giveSizes();
  sessions = ["a", "b", "c"].map((id) => session(id, { title: `Session ${id}` }));
  messages = { a: hello("a"), b: hello("b"), c: hello("c") };
  saved = {};
  host = createFakeHost({
    "session.list": () => ({ sessions, total: sessions.length }),
    "permission.list": () => ({ requests: [] }),
    "session.history": ({ sessionId }) => ({ messages: structuredClone(messages[sessionId] ?? []), total: 1, hasMore: false, before: "", seq: 0 }),
    "session.reportCrash": () => ({}),
    "layout.get": ({ window }) => ({ window, layout: saved, updatedAt: 0 }),
    "layout.set": () => ({}),
    "draft.get": ({ sessionId }) => ({ sessionId, text: "", attachments: [], updatedAt: 0 }),
  });
});

afterEach(cleanup);

async function draw(what: Partial<Info> = {}): Promise<App> {
  return renderApp(
    host,
    () => (
      <>
        <GlobalBanners />
        <Panes sidebarHidden={false} onShowSidebar={() => {}} start={() => <p>The start page</p>} />
      </>
    ),
    what,
  );
}

const tabs = () => screen.queryAllByRole("tab").map((tab) => tab.textContent);
const conversations = () => screen.queryAllByRole("log").map((log) => log.textContent?.match(/hello \w/)?.[0]);

describe("tabs", () => {
  test("show what is open; closing them leaves the session alone", async () => {
    const app = await draw();
    expect(screen.getByText("The start page")).toBeInTheDocument();
    app.actions.open("a");
    app.actions.open("b");
    await screen.findByText("hello b");
    expect(tabs()).toEqual(["Session a", "Session b"]);
    expect(screen.getByRole("tab", { name: "Session b" })).toHaveAttribute("aria-selected", "true");
    await userEvent.click(screen.getByRole("button", { name: "Close tab Session b" }));
    await screen.findByText("hello a");
    expect(tabs()).toEqual(["Session a"]);
    expect(host.callsOf("session.close")).toEqual([]);
    await userEvent.keyboard("{Alt>}w{/Alt}");
    expect(screen.getByText("The start page")).toBeInTheDocument();
  });

  test("say what their session does", async () => {
    Object.assign(sessions[0]!, { openQuestions: 1 });
    Object.assign(sessions[1]!, { unread: true });
    saved = { panes: [{ tabs: ["a", "b", "c"], active: "c" }] };
    await draw();
    expect(screen.getAllByRole("tab").map((tab) => tab.getAttribute("aria-label"))).toEqual([
      "Session a, Waiting for you",
      "Session b, Unread",
      "Session c",
    ]);
  });

  test("Escape leaves a place, unless something in it takes the key or a session has the focus", async () => {
    const app = await draw();
    app.actions.open("s1");
    app.layout.go({ kind: "memory" });
    const field = app.layout.panel("memory").appendChild(document.createElement("input"));
    field.addEventListener("keydown", (event) => event.preventDefault(), { once: true });
    field.focus();
    await userEvent.keyboard("{Escape}");
    expect(app.layout.active()).toBe("place:memory");
    await userEvent.keyboard("{Escape}");
    expect(app.layout.active()).toBe("s1");
    await userEvent.keyboard("{Escape}");
    expect(app.layout.active()).toBe("s1");
  });

  test("Escape leaves a place also when a click took the focus out of it, but not from a field or a session", async () => {
    const app = await draw();
    app.actions.open("s1");
    const outside = document.body.appendChild(document.createElement("button"));
    const field = document.body.appendChild(document.createElement("input"));
    const session = document.body.appendChild(document.createElement("div"));
    session.dataset["component"] = "session-pane";
    const inSession = session.appendChild(document.createElement("button"));
    for (const [from, leaves] of [[outside, true], [field, false], [inSession, false]] as const) {
      app.layout.go({ kind: "memory" });
      from.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
      expect(app.layout.active() === "s1").toBe(leaves);
    }
    for (const made of [outside, field, session]) made.remove();
  });

  test("the middle button closes, the keyboard walks, opens, moves and closes", async () => {
    const app = await draw();
    for (const id of ["a", "b", "c"]) app.layout.open(id);
    await screen.findByText("hello c");
    screen.getByRole("tab", { name: "Session c" }).focus();
    await userEvent.keyboard("{ArrowLeft}");
    expect(screen.getByRole("tab", { name: "Session b" })).toHaveFocus();
    expect(app.state.current).toBe("c");
    await userEvent.keyboard("{Alt>}{Shift>}{ArrowRight}{/Shift}{/Alt}");
    expect(tabs()).toEqual(["Session a", "Session c", "Session b"]);
    await userEvent.keyboard("{Delete}");
    expect(tabs()).toEqual(["Session a", "Session c"]);
    const middle = new MouseEvent("auxclick", { bubbles: true, button: 1 });
    screen.getByRole("tab", { name: "Session a" }).dispatchEvent(middle);
    expect(tabs()).toEqual(["Session c"]);
  });

  test.each([
    ["{Control>}{Tab}{/Control}", "a"],
    ["{Control>}{Shift>}{Tab}{/Shift}{/Control}", "b"],
    ["{Control>}1{/Control}", "a"],
    ["{Control>}9{/Control}", "c"],
    ["{Alt>}2{/Alt}", "b"],
    ["{Alt>}[PageDown]{/Alt}", "a"],
  ])("%s", async (keys, want) => {
    const app = await draw();
    for (const id of ["a", "b", "c"]) app.layout.open(id);
    await userEvent.keyboard(keys);
    expect(app.state.current).toBe(want);
  });
});

describe("two sides", () => {
  test("show two sessions; keys go to the one with the focus", async () => {
    const app = await draw();
    app.actions.open("a");
    app.actions.open("b");
    await userEvent.keyboard("{Control>}\\{/Control}");
    await vi.waitFor(() => expect(conversations()).toEqual(["hello a", "hello b"]));
    expect(app.state.current).toBe("b");
    await userEvent.keyboard("{F6}");
    expect(app.state.current).toBe("a");
    await vi.waitFor(() => expect(within(screen.getByRole("group", { name: "Left pane" })).getByRole("textbox", { name: "Prompt" })).toHaveFocus());
    const divider = screen.getByRole("separator");
    divider.focus();
    await userEvent.keyboard("{ArrowRight}{ArrowRight}");
    expect(divider).toHaveAttribute("aria-valuenow", "54");
  });

  test("an empty side offers sessions", async () => {
    const app = await draw();
    app.actions.open("a");
    app.layout.toggleSplit();
    await userEvent.click(await screen.findByRole("button", { name: /Session c/ }));
    await vi.waitFor(() => expect(conversations()).toEqual(["hello a", "hello c"]));
  });

  test("come back as they were left, and only what is shown is read", async () => {
    saved = { panes: [{ tabs: ["c", "a"], active: "a" }, { tabs: ["b"], active: "b" }], focused: 1 };
    const app = await draw();
    await vi.waitFor(() => expect(conversations()).toEqual(["hello a", "hello b"]));
    expect(app.state.current).toBe("b");
    expect(new Set(host.callsOf("session.history").map((p) => p.sessionId))).toEqual(new Set(["a", "b"]));
  });
});

describe("trouble", () => {
  const told = () => host.callsOf("session.reportCrash").map((p) => p.trouble);

  test("is noted before a conversation is drawn, and taken back when it was", async () => {
    let answer!: () => void;
    host.on("session.reportCrash", () => new Promise((resolve) => (answer = () => resolve({}))));
    const app = await draw();
    app.actions.open("a");
    await vi.waitFor(() => expect(app.state.conversations["a"]?.load).toBe("ready"));
    expect(screen.queryByText("hello a")).toBeNull();
    expect(told()).toEqual(["hung"]);
    answer();
    await screen.findByText("hello a");
    await vi.waitFor(() => expect(told()).toEqual(["hung", ""]));
  });

  test("a session that the page did not survive is not opened automatically", async () => {
    Object.assign(sessions[0]!, { trouble: "hung" });
    saved = { panes: [{ tabs: ["a"], active: "a" }] };
    await draw();
    await screen.findByText(/The page crashed the last time it showed this session/);
    expect(host.callsOf("session.history")).toEqual([]);
    expect(told()).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Open normally" }));
    await screen.findByText("hello a");
    await vi.waitFor(() => expect(told()).toEqual(["hung", ""]));
  });

  test("a session that another page is drawing has not crashed: it opens once that page has drawn it", async () => {
    Object.assign(sessions[0]!, { trouble: "hung" });
    saved = { panes: [{ tabs: ["a"], active: "a" }] };
    await draw();
    await screen.findByText(/The page crashed the last time it showed this session/);
    const tell = (trouble: string) => {
      const at = sessions[0]!;
      host.emit({ event: "state", payload: { sessionId: "a", seq: ++at.lastSeq, at: 0, session: { ...at, trouble } } } as never);
    };
    tell("");
    await screen.findByText("hello a");
    tell("hung");
    await vi.waitFor(() => expect(screen.queryByText(/The page crashed/)).toBeNull());
    expect(screen.getByText("hello a")).toBeVisible();
  });

  test("who leaves takes the note back while the page is still linked to the program", async () => {
    let linked = true;
    const heard: string[] = [];
    host.on("session.reportCrash", ({ trouble }) => {
      if (linked) heard.push(trouble);
      return new Promise(() => {});
    });
    // Registered before the sessions', as on the real page.
    const bye = () => (linked = false);
    window.addEventListener("pagehide", bye, { once: true });
    const app = await draw();
    app.actions.open("a");
    await vi.waitFor(() => expect(heard).toEqual(["hung"]));
    window.dispatchEvent(new Event("pagehide"));
    expect(heard).toEqual(["hung", ""]);
  });

  test("after pages that died nothing is opened automatically, and what is opened shows as text", async () => {
    saved = { panes: [{ tabs: ["a", "b"], active: "a" }] };
    messages["b"] = [assistant("m", [{ id: "l", type: "text", text: "**bold**" }])];
    const app = await draw({ safeMode: true });
    expect(tabs()).toEqual(["Session a", "Session b"]);
    expect(screen.getByText("The start page")).toBeInTheDocument();
    expect(host.callsOf("session.history")).toEqual([]);
    expect(told()).toEqual([]);
    await userEvent.click(screen.getByRole("tab", { name: "Session b" }));
    const log = await screen.findByRole("log");
    await vi.waitFor(() => expect(log).toHaveTextContent("**bold**"));
    expect(screen.getByText("Parley is in safe mode.")).toBeVisible();
    host.on("window.leaveSafeMode", () => {
      host.on("app.info", () => info());
      void app.actions.refreshInfo();
      return {};
    });
    await userEvent.click(screen.getByRole("button", { name: "Leave safe mode" }));
    await vi.waitFor(() => expect(screen.getByRole("log").querySelector("strong")).toHaveTextContent("bold"));
    expect(screen.queryByText("Parley is in safe mode.")).toBeNull();
  });

  test("safe mode draws the newest messages as text, long ones cut", async () => {
    Object.assign(sessions[0]!, { trouble: "crashed" });
    messages["a"] = [...broken(), assistant("long", [{ id: "l", type: "text", text: `**bold** ${"x".repeat(3000)} end` }])];
    const app = await draw();
    app.actions.open("a");
    await userEvent.click(await screen.findByRole("button", { name: "Open in safe mode" }));
    const log = await screen.findByRole("log");
    await vi.waitFor(() => expect(log).toHaveTextContent("**bold**"));
    expect(log.querySelector("strong")).toBeNull();
    expect(log).not.toHaveTextContent("end");
    await userEvent.click(within(log).getByRole("button", { name: /Show more/ }));
    expect(log).toHaveTextContent("end");
    expect(host.callsOf("session.history")).toEqual([{ sessionId: "a", limit: 20 }]);
    expect(told()).toEqual([]);
  });

  test("a note of this page's own is none: its session can go to the other side at once", async () => {
    host.on("session.reportCrash", ({ sessionId, trouble }) => {
      const at = sessions.find((s) => s.id === sessionId)!;
      host.emit({ event: "state", payload: { sessionId, seq: ++at.lastSeq, at: 0, session: { ...at, trouble } } } as never);
      return {};
    });
    const app = await draw();
    app.actions.open("b");
    app.actions.open("a");
    await vi.waitFor(() => expect(app.state.sessions["a"]?.trouble).toBe("hung"));
    app.layout.toggleSplit();
    await within(screen.getByRole("group", { name: "Right pane" })).findByText("hello a");
    expect(screen.queryByText(/The page crashed/)).toBeNull();
    await vi.waitFor(() => expect(app.state.sessions["a"]?.trouble).toBe(""));
  });

  test("a message that cannot be drawn costs its own side only", async () => {
    messages["b"] = broken();
    const app = await draw();
    app.actions.open("a");
    app.layout.openBeside("b");
    void app.actions.read("b");
    const right = await screen.findByRole("group", { name: "Right pane" });
    await within(right).findByText("Couldn’t show this session");
    expect(within(screen.getByRole("group", { name: "Left pane" })).getByText("hello a")).toBeInTheDocument();
    const ofB = () => host.callsOf("session.reportCrash").filter((p) => p.sessionId === "b");
    await vi.waitFor(() => expect(ofB().map((p) => p.trouble)).toEqual(["hung", "crashed"]));
    messages["b"] = hello("b");
    await app.actions.reload("b");
    await userEvent.click(within(right).getByRole("button", { name: "Try again" }));
    await within(right).findByText("hello b");
  });
});

test("a dragged tab goes before the middle of the tab that it is over", () => {
  const { container } = render(() => (
    <div data-pane="1">
      <div data-component="tab-bar">
        <div data-tab="a" />
        <div data-tab="b" />
      </div>
      <div id="body" />
    </div>
  ));
  const [first, second] = [...container.querySelectorAll<HTMLElement>("[data-tab]")];
  first!.getBoundingClientRect = () => ({ left: 0, width: 100 }) as DOMRect;
  second!.getBoundingClientRect = () => ({ left: 100, width: 100 }) as DOMRect;
  expect(targetAt(first!, 20)).toEqual({ pane: 1, index: 0 });
  expect(targetAt(first!, 80)).toEqual({ pane: 1, index: 1 });
  expect(targetAt(second!, 190)).toEqual({ pane: 1, index: 2 });
  expect(targetAt(container.querySelector("#body"), 20)).toEqual({ pane: 1, index: 2 });
  expect(targetAt(document.body, 20)).toBeNull();
});
