import { fireEvent, screen } from "@solidjs/testing-library";
import { describe, expect, it, vi } from "vitest";
import { user as said } from "../../../gallery/fixtures";
import { app, draw, host } from "./test-composer";

describe("what was said before", () => {
  it("comes back with the arrows, and goes", async () => {
    const box = await draw();
    host.on("session.history", () => ({
      messages: [said("1", "old"), said("2", "new"), said("3", "new"), { ...said("4", "summary"), synthetic: true }],
      total: 4, hasMore: false, before: "", seq: 0,
    }));
    await app.actions.reload("s");
    const shown = (key: string) => {
      fireEvent.keyDown(box, { key });
      return box.value;
    };
    expect(["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"].map(shown)).toEqual(["new", "old", "old", "new", ""]);
    fireEvent.input(box, { target: { value: "mine" } });
    expect(shown("ArrowUp")).toBe("mine");
  });
});

describe("earlier prompts", () => {
  it("are found by their words, also those of other sessions of the folder", async () => {
    const box = await draw();
    host.on("session.history", () => ({ messages: [said("1", "fix the tests"), said("2", "write docs")], total: 2, hasMore: false, before: "", seq: 0 }));
    const build = "fix the build\n\nand say what it was";
    host.on("prompt.history", ({ words }) => ({ prompts: words === "fix" ? [{ sessionId: "x", text: build, at: 1 }] : [], before: "" }));
    await app.actions.reload("s");
    fireEvent.keyDown(box, { key: "r", ctrlKey: true });
    const field = await screen.findByRole("combobox", { name: "Search earlier prompts" });
    await vi.waitFor(() => expect(screen.getAllByRole("option").map((o) => o.textContent)).toEqual(["write docs", "fix the tests"]));
    fireEvent.input(field, { target: { value: "fix" } });
    await vi.waitFor(() => expect(screen.getAllByRole("option").map((o) => o.textContent)).toEqual(["fix the tests", "fix the build  and say what it was"]));
    fireEvent.keyDown(field, { key: "ArrowDown" });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(box.value).toBe(build);
  });

  it("are chosen with Enter by all that is typed, also before they are found", async () => {
    const box = await draw();
    let give: (() => void) | undefined;
    host.on("prompt.history", ({ words }) => {
      const prompts = words === "docs" ? [{ sessionId: "x", text: "write docs", at: 1 }] : [{ sessionId: "x", text: "fix the tests", at: 2 }];
      return words ? new Promise((resolve) => (give = () => resolve({ prompts, before: "" }))) : { prompts, before: "" };
    });
    fireEvent.keyDown(box, { key: "r", ctrlKey: true });
    const field = await screen.findByRole("combobox", { name: "Search earlier prompts" });
    await screen.findByText("fix the tests");
    fireEvent.input(field, { target: { value: "docs" } });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(box.value).toBe("");
    await vi.waitFor(() => expect(give).toBeDefined());
    give?.();
    await vi.waitFor(() => expect(box.value).toBe("write docs"));
  });

  it("that are not in memory are read with the arrow keys, the session's before those of others", async () => {
    const box = await draw();
    host.on("session.history", () => ({ messages: [said("1", "one"), said("2", "two")], total: 40, hasMore: true, before: "1", seq: 0 }));
    const pages: Record<string, { texts: string[]; before: string }> = {
      "": { texts: ["two", "one", "zero"], before: "a" },
      a: { texts: [], before: "b" },
      b: { texts: ["of another", "zero"], before: "" },
    };
    host.on("prompt.history", ({ before }) => {
      const { texts, before: next } = pages[before ?? ""]!;
      return { prompts: texts.map((t) => ({ sessionId: "s", text: t, at: 1 })), before: next };
    });
    await app.actions.reload("s");
    for (const want of ["two", "one", "zero", "of another"]) {
      fireEvent.keyDown(box, { key: "ArrowUp" });
      await vi.waitFor(() => expect(box.value).toBe(want));
    }
    fireEvent.keyDown(box, { key: "ArrowUp" });
    await Promise.resolve();
    expect(box.value).toBe("of another");
    for (const want of ["zero", "one", "two", ""]) {
      fireEvent.keyDown(box, { key: "ArrowDown" });
      expect(box.value).toBe(want);
    }
  });

  it("of colleagues in the chat are none of the user's, and are found with their name", async () => {
    const box = await draw();
    const alice = { via: "mattermost", username: "alice", name: "Alice Meyer" };
    host.on("session.history", () => ({ messages: [said("1", "mine"), { ...said("2", "theirs"), author: alice }], total: 2, hasMore: true, before: "1", seq: 0 }));
    host.on("prompt.history", () => ({
      prompts: [
        { sessionId: "s", text: "theirs", at: 4, author: alice },
        { sessionId: "s", text: "mine", at: 3 },
        { sessionId: "s", text: "older theirs", at: 2, author: alice },
        { sessionId: "s", text: "yes", at: 1, author: alice },
        { sessionId: "s", text: "yes", at: 0 },
      ],
      before: "",
    }));
    await app.actions.reload("s");
    for (const want of ["mine", "yes"]) {
      fireEvent.keyDown(box, { key: "ArrowUp" });
      await vi.waitFor(() => expect(box.value).toBe(want));
    }
    fireEvent.input(box, { target: { value: "" } });
    fireEvent.keyDown(box, { key: "r", ctrlKey: true });
    const shown = () => screen.getAllByRole("option").map((o) => o.textContent);
    await vi.waitFor(() => expect(shown()).toEqual(["theirsAlice Meyer in Mattermost", "mine", "older theirsAlice Meyer in Mattermost", "yes"]));
  });

  it("that come late do not replace what was typed meanwhile", async () => {
    const box = await draw();
    let give: (() => void) | undefined;
    host.on("prompt.history", () => new Promise((resolve) => (give = () => resolve({ prompts: [{ sessionId: "s", text: "old", at: 1 }], before: "" }))));
    fireEvent.keyDown(box, { key: "ArrowUp" });
    fireEvent.input(box, { target: { value: "new" } });
    give?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(box.value).toBe("new");
  });
});
