import { createRoot } from "solid-js";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createFakeHost, type FakeHost } from "../host/fake";
import { HostError } from "../host/host";
import { maxTabs, readLayout } from "./arrangement";
import { createLayout, type Layout } from "./layout";

let host: FakeHost;
let layout: Layout;
let heard: [string | null, string[]][];

beforeEach(() => {
  vi.useFakeTimers();
  heard = [];
  host = createFakeHost({ "layout.set": () => ({}) });
  layout = createLayout(host, (current, visible) => heard.push([current, [...visible]]));
});

afterEach(() => {
  layout.dispose();
  vi.useRealTimers();
});

/** The panes as text: tabs, the active one in brackets; the focused pane has a star. */
const drawn = () =>
  layout.state.panes
    .map((pane, i) => (i === layout.state.focused ? "*" : "") + pane.tabs.map((id) => (id === pane.active ? `[${id}]` : id)).join(" "))
    .join(" | ");

const open = (...ids: string[]) => ids.forEach(layout.open);

describe("tabs", () => {
  it("a session gets one beside the one that is shown, and keeps it", () => {
    open("a", "b", "a", "c");
    expect(drawn()).toBe("*a [c] b");
    open("b");
    expect(drawn()).toBe("*a c [b]");
    layout.open(null);
    expect(drawn()).toBe("*a c b");
    expect(heard.at(-1)).toEqual([null, []]);
  });

  it("closing one shows the one looked at before", () => {
    open("a", "b", "c", "a");
    layout.close("a");
    expect(drawn()).toBe("*b [c]");
    layout.close("b");
    expect(drawn()).toBe("*[c]");
    layout.close("c");
    expect(drawn()).toBe("*");
    expect(heard.at(-1)).toEqual([null, []]);
  });

  it("go round, and by number", () => {
    open("a", "b", "c");
    layout.step(1);
    expect(layout.current()).toBe("a");
    layout.step(-1);
    expect(layout.current()).toBe("c");
    layout.goTo(1);
    expect(layout.current()).toBe("b");
    layout.goTo(-1);
    expect(layout.current()).toBe("c");
    layout.goTo(7);
    expect(layout.current()).toBe("c");
  });

  it.each([
    ["a", 3, "b [c] a"],
    ["a", 2, "b a [c]"],
    ["c", 0, "[c] a b"],
    ["b", 1, "a b [c]"],
  ])("%s moves before number %i", (id, index, want) => {
    open("a", "b", "c");
    layout.move(id, 0, index);
    expect(drawn()).toBe(`*${want}`);
  });

  it("are bounded: the one not looked at for longest goes", () => {
    open(...Array.from({ length: maxTabs }, (_, i) => `s${i}`), "s0", "one more");
    expect(layout.state.panes[0]?.tabs).toHaveLength(maxTabs);
    expect(layout.paneOf("s1")).toBe(-1);
    expect(layout.paneOf("s0")).toBe(0);
  });
});

describe("two panes", () => {
  it("the tab that is shown moves over, and back when they are put together", () => {
    open("a", "b");
    layout.toggleSplit();
    expect(drawn()).toBe("[a] | *[b]");
    expect(heard.at(-1)).toEqual(["b", ["a", "b"]]);
    layout.focus(0);
    expect(heard.at(-1)).toEqual(["a", ["a", "b"]]);
    layout.toggleSplit();
    expect(drawn()).toBe("*[a] b");
  });

  it("with one tab the other side is empty and takes what is opened", () => {
    open("a");
    layout.toggleSplit();
    expect(drawn()).toBe("[a] | *");
    open("b");
    expect(drawn()).toBe("[a] | *[b]");
  });

  it("a session that is open on the other side is shown there", () => {
    open("a", "b");
    layout.toggleSplit();
    open("a");
    expect(drawn()).toBe("*[a] | [b]");
  });

  it("goes when its last tab is closed or moved away", () => {
    open("a", "b", "c");
    layout.toggleSplit();
    layout.close("c");
    expect(drawn()).toBe("*a [b]");
    layout.openBeside("a");
    expect(drawn()).toBe("[b] | *[a]");
    layout.move("b", 1, 0);
    expect(drawn()).toBe("*[b] a");
  });

  it("in a narrow window only the one with the focus is on the page", () => {
    open("a", "b");
    layout.toggleSplit();
    layout.setNarrow(true);
    expect(heard.at(-1)).toEqual(["b", ["b"]]);
    layout.focus(0);
    expect(heard.at(-1)).toEqual(["a", ["a"]]);
    layout.setNarrow(false);
    expect(heard.at(-1)).toEqual(["a", ["a", "b"]]);
  });
});

describe("keeping", () => {
  it("saves once for changes in a row, and what was saved can be read", () => {
    open("a", "b");
    layout.toggleSplit();
    layout.setRatio(0.1);
    layout.setSidebar({ width: 9999, collapsed: true });
    layout.setInspector({ width: 9999 });
    layout.showInspector("files");
    layout.setPlace("a", { message: "m", offset: -3 });
    expect(host.callsOf("layout.set")).toHaveLength(0);
    vi.advanceTimersByTime(1000);
    const [saved, ...more] = host.callsOf("layout.set");
    expect(more).toHaveLength(0);
    expect(saved?.window).toBe("main");
    expect(readLayout(JSON.parse(JSON.stringify(saved?.layout)))).toEqual({
      panes: [{ tabs: ["a"], active: "a" }, { tabs: ["b"], active: "b" }],
      focused: 1,
      ratio: 0.2,
      sidebar: { width: 480, collapsed: true },
      inspector: { open: true, width: 720, tab: "files" },
      places: { a: { message: "m", offset: -3 } },
    });
    layout.close("a");
    expect(layout.state.places).toEqual({});
  });

  it("saves at once when the page goes, and nothing when nothing changed", () => {
    open("a");
    window.dispatchEvent(new Event("pagehide"));
    window.dispatchEvent(new Event("pagehide"));
    expect(host.callsOf("layout.set")).toHaveLength(1);
  });

  it("takes up what was saved; what was opened meanwhile stays", async () => {
    const saved = { panes: [{ tabs: ["a", "b"], active: "b" }], sidebar: { width: 300 } };
    host.on("layout.get", () => ({ window: "main", layout: saved, updatedAt: 0 }));
    open("new");
    await Promise.all([layout.restore(), layout.restore()]);
    expect(host.callsOf("layout.get")).toHaveLength(1);
    expect(drawn()).toBe("*a b [new]");
    expect(layout.state.sidebar.width).toBe(300);
  });

  it("tries again when it could not be read", async () => {
    host.on("layout.get", () => {
      throw new HostError("offline", "The connection was lost.");
    });
    await layout.restore();
    expect(drawn()).toBe("*");
    host.on("layout.get", () => ({ window: "main", layout: { panes: [{ tabs: ["a"], active: "a" }] }, updatedAt: 0 }));
    await layout.restore();
    expect(drawn()).toBe("*[a]");
  });

  it.each([
    [{}],
    [null],
    [{ panes: "x", focused: -1, ratio: "wide", sidebar: 3 }],
    [{ panes: [{ tabs: [1, "", null] }], focused: 9 }],
  ])("reads %j as an empty one", (saved) => {
    expect(readLayout(saved)).toEqual({
      panes: [{ tabs: [], active: null }],
      focused: 0,
      ratio: 0.5,
      sidebar: { width: 260, collapsed: false },
      inspector: { open: false, width: 360, tab: "" },
      places: {},
    });
  });

  it("a session has one tab, whatever was saved", () => {
    const { panes } = readLayout({ panes: [{ tabs: ["a", "a", "b"], active: "x" }, { tabs: ["b", "c"], active: "c" }, { tabs: ["d"] }] });
    expect(panes).toEqual([
      { tabs: ["a", "b"], active: null },
      { tabs: ["c"], active: "c" },
    ]);
  });
});

describe("places", () => {
  it("have a tab beside the sessions, and are none of them", () => {
    open("a");
    layout.go({ kind: "memory" });
    expect(drawn()).toBe("*a [place:memory]");
    expect(heard.at(-1)).toEqual([null, []]);
    expect([layout.current(), layout.active(), layout.shows("memory")]).toEqual([null, "place:memory", true]);
    open("a");
    expect([layout.shows("memory"), layout.at("memory")]).toEqual([false, { kind: "memory" }]);
    layout.close("place:memory");
    expect(layout.at("memory")).toBeNull();
  });

  it("keep what is shown of them until something else is asked for", () => {
    layout.go({ kind: "settings", tab: "look" });
    open("a");
    layout.go({ kind: "settings" });
    expect(layout.at("settings")).toEqual({ kind: "settings", tab: "look" });
    layout.go({ kind: "settings", tab: "keys" });
    expect(layout.at("settings")?.tab).toBe("keys");
    layout.close("place:settings");
    layout.go({ kind: "settings" });
    expect(layout.at("settings")).toEqual({ kind: "settings" });
  });

  it("ask before something is lost: when they are closed, with others, or shown at something else", () => {
    let go: (() => void) | undefined;
    createRoot((dispose) => {
      layout.guard("heartbeats", (act) => (go = act));
      onTestFinished(dispose);
    });
    layout.go({ kind: "heartbeats" });
    open("a");
    const leaving = [() => layout.close("place:heartbeats"), () => layout.closeOthers("a"), () => layout.go({ kind: "heartbeats", tab: "history" })];
    for (const leave of leaving) {
      leave();
      expect(layout.at("heartbeats")).toEqual({ kind: "heartbeats" });
    }
    go?.();
    expect(layout.at("heartbeats")?.tab).toBe("history");
    layout.close("place:heartbeats");
    go?.();
    expect(drawn()).toBe("*[a]");
  });

  it("are saved with the tabs, and those of another Parley are left out", async () => {
    host.on("layout.get", () => ({ window: "main", layout: { panes: [{ tabs: ["a", "place:rooms", "place:moon"], active: "place:moon" }] }, updatedAt: 0 }));
    await layout.restore();
    expect(drawn()).toBe("*a place:rooms");
  });
});
