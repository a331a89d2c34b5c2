import { createRoot } from "solid-js";
import { createStore } from "solid-js/store";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Draft as SavedDraft, DraftSetParams } from "../host/border.gen";
import { createFakeHost, type FakeHost } from "../host/fake";
import { HostError } from "../host/host";
import { createDrafts, type Drafts, saveDelay } from "./drafts";
import { initialState, type AppState, type DraftAttachment } from "./state";

/** The drafts stored by the program. */
let kept: Record<string, SavedDraft>;
let host: FakeHost;
let state: AppState;
let drafts: Drafts;
let clock: number;

const image: DraftAttachment = { id: "i", name: "a.png", mediaType: "image/png", bytes: 3, data: "AAAA" };
const settle = () => vi.advanceTimersByTimeAsync(0);
const saved = () => host.callsOf("draft.set");
const text = () => state.drafts["s"]?.text ?? "";

/** Another window saves a draft. */
function elsewhere(words: string): void {
  kept["s"] = { sessionId: "s", text: words, attachments: [], updatedAt: ++clock };
}

function store({ sessionId, text: words, attachments }: DraftSetParams): Record<string, never> {
  const before = kept[sessionId]?.attachments ?? [];
  kept[sessionId] = { sessionId, text: words, attachments: attachments ?? before, updatedAt: ++clock };
  return {};
}

beforeEach(() => {
  vi.useFakeTimers();
  clock = 0;
  kept = {};
  host = createFakeHost({
    "draft.get": ({ sessionId }) => kept[sessionId] ?? { sessionId, text: "", attachments: [], updatedAt: 0 },
    "draft.set": store,
    "session.prompt": () => ({ turnId: "t" }),
  });
  createRoot(() => {
    const [store, set] = createStore(initialState());
    state = store;
    drafts = createDrafts({ state: store, set }, host, () => "p");
  });
});

afterEach(() => {
  drafts.dispose();
  vi.useRealTimers();
});

async function open(): Promise<void> {
  drafts.actions.openDraft("s");
  await settle();
}

describe("a draft", () => {
  it("is read with its images when its session is opened", async () => {
    kept["s"] = { sessionId: "s", text: "half a thought", attachments: [{ name: "a.png", mediaType: "image/png", data: "AAA=" }], updatedAt: 5 };
    await open();
    expect(state.drafts["s"]).toMatchObject({ text: "half a thought", attachments: [{ name: "a.png", bytes: 2, data: "AAA=" }] });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(saved()).toEqual([]);
  });

  it("is saved when the typing pauses, once", async () => {
    await open();
    for (const words of ["h", "he", "hel"]) {
      drafts.actions.setDraftText("s", words);
      await vi.advanceTimersByTimeAsync(saveDelay - 1);
    }
    expect(saved()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(saved()).toEqual([{ sessionId: "s", text: "hel" }]);
  });

  it("is saved within a few seconds when it does not pause", async () => {
    await open();
    for (let i = 0; i < 20; i++) {
      drafts.actions.setDraftText("s", `words ${i}`);
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(saved().length).toBeGreaterThan(0);
  });

  it("says its images only when they changed", async () => {
    await open();
    drafts.actions.addAttachments("s", [image], "");
    await vi.advanceTimersByTimeAsync(saveDelay);
    drafts.actions.setDraftText("s", "look");
    await vi.advanceTimersByTimeAsync(saveDelay);
    drafts.actions.removeAttachment("s", "i");
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(saved()).toEqual([
      { sessionId: "s", text: "", attachments: [{ name: "a.png", mediaType: "image/png", data: "AAAA" }] },
      { sessionId: "s", text: "look" },
      { sessionId: "s", text: "look", attachments: [] },
    ]);
  });

  it.each([
    ["the session is left", () => drafts.actions.leaveDraft("s")],
    ["the window loses the focus", () => window.dispatchEvent(new Event("blur"))],
    ["the page goes away", () => window.dispatchEvent(new Event("pagehide"))],
  ])("is saved at once when %s", async (_what, leave) => {
    await open();
    drafts.actions.setDraftText("s", "quick");
    leave();
    expect(saved()).toEqual([{ sessionId: "s", text: "quick" }]);
  });

  it("is cleared when it is sent, at once", async () => {
    await open();
    drafts.actions.setDraftText("s", "do it");
    await vi.advanceTimersByTimeAsync(saveDelay);
    await drafts.actions.send("s", "queue");
    expect(host.callsOf("session.prompt")).toEqual([{ sessionId: "s", text: "do it", promptId: "p", attachments: [], delivery: "queue" }]);
    expect(saved().at(-1)).toEqual({ sessionId: "s", text: "" });
    expect(text()).toBe("");
  });

  it("stays with the reason when the program refuses it", async () => {
    await open();
    host.on("session.prompt", () => {
      throw new HostError("busy", "Too many prompts wait.");
    });
    drafts.actions.setDraftText("s", "precious");
    await drafts.actions.send("s");
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(state.drafts["s"]).toMatchObject({ text: "precious", error: "Too many prompts wait.", sending: false });
    expect(kept["s"]?.text).toBe("precious");
  });

  it("says when it cannot be saved, and is saved with the next words", async () => {
    await open();
    host.on("draft.set", () => {
      throw new HostError("unavailable", "The disk is full.");
    });
    drafts.actions.addAttachments("s", [image], "");
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(state.drafts["s"]?.error).toBe("Couldn’t save your draft: The disk is full.");
    host.on("draft.set", store);
    drafts.actions.setDraftText("s", "on");
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(kept["s"]).toMatchObject({ text: "on", attachments: [{ name: "a.png" }] });
  });
});

describe("while the link is down", () => {
  const down = () => host.setStatus({ kind: "closed", reason: "", retryAt: null });
  async function up(): Promise<void> {
    host.setStatus({ kind: "open" });
    drafts.resume();
    await settle();
  }

  it("the words stay in memory and are saved later", async () => {
    await open();
    down();
    drafts.actions.setDraftText("s", "offline words");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(saved()).toEqual([]);
    await up();
    expect(saved()).toEqual([{ sessionId: "s", text: "offline words" }]);
  });

  it("a save whose answer was lost is no other draft", async () => {
    await open();
    drafts.actions.setDraftText("s", "one");
    await vi.advanceTimersByTimeAsync(saveDelay);
    host.on("draft.set", () => {
      throw new HostError("offline", "Lost connection to Parley.");
    });
    drafts.actions.setDraftText("s", "one two");
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(state.drafts["s"]?.error).toBe("");
    host.on("draft.set", store);
    down();
    await up();
    expect(state.drafts["s"]?.other).toBeNull();
    expect(kept["s"]?.text).toBe("one two");
  });

  it("what another window wrote meanwhile is not overwritten", async () => {
    await open();
    down();
    drafts.actions.setDraftText("s", "mine");
    elsewhere("theirs");
    await up();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(kept["s"]?.text).toBe("theirs");
    expect(text()).toBe("mine");
    expect(state.drafts["s"]?.other?.text).toBe("theirs");
  });
});

describe("two windows", () => {
  it("what is newer elsewhere is shown when nothing was changed here", async () => {
    await open();
    drafts.actions.setDraftText("s", "old");
    await vi.advanceTimersByTimeAsync(saveDelay);
    elsewhere("new");
    window.dispatchEvent(new Event("blur"));
    window.dispatchEvent(new Event("focus"));
    await settle();
    expect(text()).toBe("new");
    expect(kept["s"]?.text).toBe("new");
  });

  it("sent elsewhere, it is gone here", async () => {
    await open();
    drafts.actions.setDraftText("s", "old");
    await vi.advanceTimersByTimeAsync(saveDelay);
    elsewhere("");
    window.dispatchEvent(new Event("focus"));
    await settle();
    expect(text()).toBe("");
  });

  it("words typed before the draft was there do not replace it", async () => {
    let answer!: (draft: SavedDraft) => void;
    host.on("draft.get", () => new Promise((resolve) => (answer = resolve)));
    drafts.actions.openDraft("s");
    drafts.actions.setDraftText("s", "x");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(saved()).toEqual([]);
    elsewhere("a long draft");
    answer(kept["s"]!);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(kept["s"]?.text).toBe("a long draft");
    expect(state.drafts["s"]?.other?.text).toBe("a long draft");
  });

  describe("with a draft each", () => {
    beforeEach(async () => {
      await open();
      host.setStatus({ kind: "closed", reason: "", retryAt: null });
      drafts.actions.setDraftText("s", "mine");
      elsewhere("theirs");
      host.setStatus({ kind: "open" });
      drafts.resume();
      await settle();
    });

    it.each([
      ["this", "mine"],
      ["other", "theirs"],
    ] as const)("%s can be chosen", async (which, words) => {
      drafts.actions.chooseDraft("s", which);
      await settle();
      expect(state.drafts["s"]).toMatchObject({ text: words, other: null });
      expect(kept["s"]?.text).toBe(words);
    });

    it("the other one takes the place of the one that is sent", async () => {
      await drafts.actions.send("s");
      expect(host.callsOf("session.prompt")[0]?.text).toBe("mine");
      expect(state.drafts["s"]).toMatchObject({ text: "theirs", other: null });
      expect(kept["s"]?.text).toBe("theirs");
    });
  });

  it("a look while a save is under way waits for it", async () => {
    await open();
    let done!: () => void;
    host.on("draft.set", (params) => new Promise((resolve) => (done = () => resolve(store(params)))));
    drafts.actions.setDraftText("s", "being saved");
    await vi.advanceTimersByTimeAsync(saveDelay);
    window.dispatchEvent(new Event("focus"));
    await settle();
    expect(host.callsOf("draft.get")).toHaveLength(1);
    done();
    await settle();
    expect(host.callsOf("draft.get")).toHaveLength(2);
    expect(state.drafts["s"]).toMatchObject({ text: "being saved", other: null });
  });
});

it("keeps few drafts in memory that nobody looks at", async () => {
  for (let i = 0; i < 40; i++) {
    kept[`s${i}`] = { sessionId: `s${i}`, text: "words", attachments: [], updatedAt: 1 };
    drafts.actions.openDraft(`s${i}`);
    await settle();
    drafts.actions.leaveDraft(`s${i}`);
  }
  expect(Object.keys(state.drafts).length).toBeLessThan(20);
  drafts.actions.openDraft("s0");
  await settle();
  expect(state.drafts["s0"]?.text).toBe("words");
});

describe("a prompt that no CLI ever had", () => {
  it("is back in the box with its images, before what was typed since", async () => {
    await open();
    drafts.actions.setDraftText("s", "do it");
    drafts.actions.addAttachments("s", [image], "");
    await drafts.actions.send("s");
    expect(text()).toBe("");
    drafts.actions.setDraftText("s", "and that");
    drafts.ended("s", "p", "failed");
    expect(text()).toBe("do it\n\nand that");
    expect(state.drafts["s"]?.attachments).toEqual([image]);
    await vi.advanceTimersByTimeAsync(saveDelay);
    expect(kept["s"]?.text).toBe("do it\n\nand that");
    drafts.ended("s", "p", "failed");
    expect(text()).toBe("do it\n\nand that");
  });

  it("stays there when it failed before the call had its answer", async () => {
    await open();
    host.on("session.prompt", () => {
      drafts.ended("s", "p", "failed");
      return { turnId: "t" };
    });
    drafts.actions.setDraftText("s", "do it");
    await drafts.actions.send("s");
    expect(text()).toBe("do it");
    expect(state.drafts["s"]?.sending).toBe(false);
  });

  it("is gone from the box when it was answered", async () => {
    await open();
    drafts.actions.setDraftText("s", "do it");
    await drafts.actions.send("s");
    drafts.ended("s", "p", "completed");
    drafts.ended("s", "p", "failed");
    expect(text()).toBe("");
  });
});
