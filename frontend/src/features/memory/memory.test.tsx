import { cleanup, screen, waitFor, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { session } from "../../../gallery/fixtures";
import { memories, memory, memoryHandlers, noMemory, told } from "../../../gallery/memory";
import { createFakeHost, type Handlers } from "../../host/fake";
import { HostError } from "../../host/host";
import { setLanguage } from "../../i18n";
import { renderApp } from "../../test/render";
import { InjectedLine } from "./InjectedLine";
import { MemoryPage } from "./MemoryPlace";
import { dayWords, originWords } from "./words";

afterEach(async () => {
  cleanup();
  await setLanguage("en");
});

const host = (more: Handlers = {}) =>
  createFakeHost({
    "session.list": () => ({ sessions: [session("s1", { title: "One" })], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    ...memoryHandlers(more),
  });

const rows = () => screen.getAllByRole("listitem").filter((item) => item.dataset["slot"] === "row");
const row = (words: RegExp) => {
  const found = rows().find((item) => words.test(item.textContent));
  if (!found) throw new Error(`no row with ${words}`);
  return found;
};

describe("the words", () => {
  it("say where a memory came from", () => {
    const from = memories.map((m) => originWords(m.origin));
    expect(from.slice(2)).toEqual(["added by you", "from a deleted session", "from the heartbeat nightly-tests", "imported", "written by hand", "written by hand"]);
    expect(originWords(memory("x", "x", {}).origin)).toBe("from “Retry the upload when the link drops”");
  });

  it("leave what is no day as it is", () => {
    expect(dayWords("someday")).toBe("someday");
    expect(dayWords("2020-02-03")).toMatch(/3|2020/);
  });
});

describe("the page", () => {
  it("shows the newest first, with where each came from, and opens its session", async () => {
    const user = userEvent.setup();
    const app = await renderApp(host(), () => <MemoryPage />);
    await screen.findByText(/The server drops a part/);
    expect(rows().map((item) => item.textContent)[2]).toMatch(/Likes short answers.*@ada.*added by you.*General/);
    await user.click(within(row(/server drops/)).getByRole("button", { name: "from “Retry the upload when the link drops”" }));
    expect(app.layout.current()).toBe("s1");
  });

  it("finds while one types, and marks what it found", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <MemoryPage />);
    const field = await screen.findByRole("searchbox", { name: "Search memories" });
    await user.type(field, "parser");
    await screen.findByText("1 found");
    expect(rows()).toHaveLength(1);
    expect(within(row(/Bob/)).getByText("parser").tagName).toBe("MARK");
    await user.type(field, "zz");
    await screen.findByText("No memories match “parserzz”.");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(rows().length).toBe(memories.length));
  });

  it("shows only what is about the user", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <MemoryPage />);
    await user.click(await screen.findByRole("button", { name: "Show only memories about @bob" }));
    await waitFor(() => expect(rows()).toHaveLength(1));
    await user.click(screen.getByRole("button", { name: "Show all" }));
    await waitFor(() => expect(rows()).toHaveLength(memories.length));
  });

  it("forgets, and takes that back", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <MemoryPage />);
    await screen.findByText(/Deploys run/);
    await user.click(within(row(/Deploys run/)).getByRole("button", { name: "Move memory to trash" }));
    await waitFor(() => expect(rows()).toHaveLength(memories.length - 1));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(rows()).toHaveLength(memories.length));
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  it("changes a memory with the keyboard alone, and says why it could not", async () => {
    const user = userEvent.setup();
    let fail = true;
    const more = memoryHandlers();
    await renderApp(
      host({
        "memory.change": (params) => {
          if (fail) throw new HostError("conflict", "It was changed meanwhile.");
          return (more["memory.change"] as NonNullable<Handlers["memory.change"]>)(params);
        },
      }),
      () => <MemoryPage />,
    );
    await screen.findByText(/Deploys run/);
    within(row(/Deploys run/)).getByRole("button", { name: "Edit memory" }).focus();
    await user.keyboard("{Enter}");
    const field = await screen.findByRole("textbox", { name: "Memory text" });
    await waitFor(() => expect(document.activeElement).toBe(field));
    await user.type(field, " Always.");
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect((await screen.findByRole("alert")).textContent).toBe("It was changed meanwhile.");
    fail = false;
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(screen.queryByRole("textbox", { name: "Memory text" })).toBeNull());
  });

  it("keeps what is being written while the list is read anew", async () => {
    const user = userEvent.setup();
    const fake = host();
    await renderApp(fake, () => <MemoryPage />);
    await screen.findByText(/Deploys run/);
    await user.click(within(row(/Deploys run/)).getByRole("button", { name: "Edit memory" }));
    const field = await screen.findByRole("textbox", { name: "Memory text" });
    await user.type(field, " Written.");
    await fake.call("memory.save", { text: "Something new." });
    fake.emitGlobal({ event: "memory.changed", payload: { memories: 9 } });
    await screen.findByText("Something new.");
    expect(document.contains(field)).toBe(true);
    expect((field as HTMLTextAreaElement).value).toMatch(/Written\.$/);
  });

  it("adds what a user wants remembered", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <MemoryPage />);
    await user.click(await screen.findByRole("button", { name: "Add" }));
    await user.type(await screen.findByRole("textbox", { name: "What to remember" }), "Tea at four.");
    await user.type(screen.getByRole("textbox", { name: /^About/ }), "bob");
    await user.click(screen.getByRole("button", { name: "Remember" }));
    await waitFor(() => expect(row(/Tea at four/).textContent).toMatch(/@bob.*added by you/));
  });

  it("keeps what was written when the file was changed meanwhile", async () => {
    const user = userEvent.setup();
    const fake = host();
    await renderApp(fake, () => <MemoryPage />);
    await user.click(await screen.findByRole("button", { name: "Who Claude is" }));
    const field = await screen.findByRole("textbox", { name: "Text of SOUL.md" });
    await user.type(field, "Mine.");
    const theirs = await fake.call("memory.read", { file: "SOUL.md" });
    await fake.call("memory.write", { file: "SOUL.md", text: "Theirs.\n", revision: theirs.revision });
    await user.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByText(/changed this file in the meantime/);
    expect((field as HTMLTextAreaElement).value).toMatch(/Mine\.$/);
    await user.click(screen.getByRole("button", { name: "Overwrite with mine" }));
    await waitFor(async () => expect((await fake.call("memory.read", { file: "SOUL.md" })).text).toMatch(/Mine\.$/));
    expect(screen.queryByText(/changed this file in the meantime/)).toBeNull();
  });

  it("asks before what was written is lost", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <MemoryPage />);
    await user.click(await screen.findByRole("button", { name: "About you" }));
    await user.type(await screen.findByRole("textbox", { name: "Text of USER.md" }), "More.");
    await user.click(screen.getByRole("button", { name: /^Trash/ }));
    await user.click(await screen.findByRole("button", { name: "Keep editing" }));
    expect(((await screen.findByRole("textbox", { name: "Text of USER.md" })) as HTMLTextAreaElement).value).toMatch(/More\.$/);
  });

  it("switches off what a workspace’s sessions are told", async () => {
    const user = userEvent.setup();
    const asked: unknown[] = [];
    const more = memoryHandlers();
    await renderApp(
      host({
        "memory.setEnabled": (params) => {
          asked.push(params);
          return (more["memory.setEnabled"] as NonNullable<Handlers["memory.setEnabled"]>)(params);
        },
      }),
      () => <MemoryPage />,
    );
    await user.click(await screen.findByRole("button", { name: /^parley/ }));
    await user.click(await screen.findByRole("switch", { name: "Include in this workspace’s sessions" }));
    await waitFor(() => expect(asked).toEqual([{ workspaceId: "w1", on: false }]));
  });

  it("shows what a new session is told", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <MemoryPage />);
    expect((await screen.findByRole("meter")).getAttribute("aria-valuetext")).toBe("1,240 of 2,000 tokens");
    await user.click(screen.getByRole("button", { name: "Preview" }));
    await screen.findByText(/^<parley-memory>/);
    screen.getByRole("rowheader", { name: "Newest memories 38 of 99" });
  });

  it("teaches while there is nothing", async () => {
    const user = userEvent.setup();
    await renderApp(host(noMemory), () => <MemoryPage />);
    await user.click(await screen.findByRole("button", { name: /Describe yourself/ }));
    const field = await screen.findByRole("textbox", { name: "Text of USER.md" });
    expect((field as HTMLTextAreaElement).value).toMatch(/^# About me/);
    screen.getByRole("button", { name: "Save" });
  });

  it("says why it cannot be read", async () => {
    await renderApp(
      host({
        "memory.list": () => {
          throw new HostError("unavailable", "No such disk.");
        },
      }),
      () => <MemoryPage />,
    );
    expect((await screen.findByRole("alert")).textContent).toMatch(/No such disk/);
  });

  it("speaks German", async () => {
    await setLanguage("de");
    await renderApp(host(), () => <MemoryPage />);
    await screen.findByRole("button", { name: "Wer Claude ist" });
    expect((await screen.findByRole("meter")).getAttribute("aria-valuetext")).toMatch(/^1.240 von 2.000 Tokens$/);
  });
});

describe("what a session was told", () => {
  it("is shown with its text", async () => {
    const user = userEvent.setup();
    await renderApp(host(), () => <InjectedLine sessionId="s1" />);
    await screen.findByText("38 memories, 1,240 tokens");
    await user.click(screen.getByRole("button", { name: "Show memory" }));
    const text = await within(await screen.findByRole("dialog")).findByText(/<parley-memory>/);
    expect(text.textContent).toMatch(/Deploys run on Fridays only/);
  });

  it.each([
    [{ known: false, text: "" }, "Memory is included when the session’s process starts."],
    [{ text: "", off: "workspace" }, "Memory is off for this workspace’s sessions."],
    [{ text: "", off: "" }, "This session has no memory, because there were no memories."],
  ])("is shown where it is nothing: %j", async (change, words) => {
    await renderApp(host({ "memory.included": () => told(change) }), () => <InjectedLine sessionId="s1" />);
    await screen.findByText(words);
    expect(screen.queryByRole("button")).toBeNull();
  });
});
