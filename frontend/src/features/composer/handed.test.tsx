import { fireEvent, screen } from "@solidjs/testing-library";
import { describe, expect, it, vi } from "vitest";
import type { Drag, Handed, Handing } from "../../host/handing";
import { app, draw, host, pngHead } from "./test-composer";

const contents: Record<string, Uint8Array<ArrayBuffer>> = {
  words: new TextEncoder().encode("words"),
  picture: new Uint8Array(pngHead),
};
let drag: (drag: Drag) => boolean;
const paste = vi.fn<() => Promise<Handed>>();
const read = vi.fn((id: string) => (contents[id] ? Promise.resolve(contents[id]) : Promise.reject(new Error("gone"))));

async function drawHanded(): Promise<HTMLTextAreaElement> {
  read.mockClear();
  paste.mockReset();
  const handing: Handing = {
    paste,
    read,
    onDrag(listener) {
      drag = listener;
      return () => {};
    },
    lend: () => "",
  };
  return await draw({}, {}, handing);
}

const clipboard = (types: string[], words = "") => ({ clipboardData: { files: [], types, getData: () => words } });
const note = () => screen.getByRole("status");
const names = () => (app.state.drafts["s"]?.attachments ?? []).map((a) => `${a.mediaType} ${a.name}`);

describe("what the program pastes", () => {
  it("is asked for when the page sees no text, and attached", async () => {
    const box = await drawHanded();
    paste.mockResolvedValue({ files: [{ id: "picture", name: "image.png", mediaType: "image/png", bytes: 4 }, { id: "words", name: "a.csv", mediaType: "text/csv", bytes: 5 }] });
    expect(fireEvent.paste(box, clipboard([]))).toBe(false);
    await screen.findByAltText("image.png");
    await screen.findByRole("button", { name: "Open a.csv" });
    expect(names()).toEqual(["image/png image.png", "text/csv a.csv"]);
  });

  it.each([
    ["a text without its type", [], "plain words", true],
    ["a text with a picture of it", ["text/plain", "image/png"], "cells", true],
    ["copied files with their paths as text", ["text/uri-list", "text/plain"], "/a/b", false],
  ])("is asked for or not: %s", async (_, types, words, left) => {
    const box = await drawHanded();
    paste.mockResolvedValue({ text: words });
    expect(fireEvent.paste(box, clipboard(types, words))).toBe(left);
    expect(paste).toHaveBeenCalledTimes(left ? 0 : 1);
    await vi.waitFor(() => expect(box.value).toBe(left ? "" : words));
  });

  it("leaves the paths of copied files to the shell", async () => {
    const box = await drawHanded();
    fireEvent.input(box, { target: { value: "!cat " } });
    expect(fireEvent.paste(box, clipboard(["text/uri-list", "text/plain"], "/a/b"))).toBe(true);
    expect(paste).not.toHaveBeenCalled();
  });

  it("puts a long text without its type aside", async () => {
    const box = await drawHanded();
    expect(fireEvent.paste(box, clipboard([], "a line of it\n".repeat(250)))).toBe(false);
    await screen.findByRole("button", { name: "Open Pasted text, 251 lines" });
  });

  it("says all that it does not take", async () => {
    const box = await drawHanded();
    paste.mockResolvedValue({
      files: [
        { name: "src", bytes: 0, refused: "folder" },
        { name: "pipe", bytes: 0, refused: "kind" },
        { name: "far", bytes: 0, refused: "remote" },
        { name: "old", bytes: 0, refused: "missing" },
        { name: "shut", bytes: 0, refused: "unreadable" },
        { name: "vast", bytes: 0, refused: "large" },
        { id: "gone", name: "gone", bytes: 1 },
        { id: "words", name: "a.txt", bytes: 5 },
      ],
      more: 3,
    });
    fireEvent.paste(box, clipboard([]));
    await screen.findByRole("button", { name: "Open a.txt" });
    await vi.waitFor(() => expect(note()).toHaveTextContent(/src is a folder.*pipe isn’t a readable file.*far isn’t on this.*old no longer exists.*Couldn’t read shut.*vast is larger.*Couldn’t read gone.*20 files/));
  });

  it.each<[Handed, string]>([
    [{}, "Nothing in there can be attached"],
    [{ refused: "picture" }, "This image format isn’t supported"],
    [{ refused: "large" }, "Content is larger than"],
  ])("says why it takes nothing: %j", async (handed, words) => {
    const box = await drawHanded();
    paste.mockResolvedValue(handed);
    fireEvent.paste(box, clipboard([]));
    await vi.waitFor(() => expect(note()).toHaveTextContent(words));
  });

  it("reads no more than a prompt can carry", async () => {
    const box = await drawHanded();
    const files = Array.from({ length: 20 }, (_, i) => ({ id: "words", name: `${i}.txt`, bytes: 5 }));
    paste.mockResolvedValue({ files });
    fireEvent.paste(box, clipboard([]));
    await vi.waitFor(() => expect(names()).toHaveLength(20));
    fireEvent.paste(box, clipboard([]));
    await vi.waitFor(() => expect(note()).toHaveTextContent("A prompt can have up to 20 files."));
    expect(read).toHaveBeenCalledTimes(20);
  });
});

describe("what is dragged over it", () => {
  it("is shown while it is over the session, and taken when it is let go", async () => {
    const box = await drawHanded();
    document.elementFromPoint = () => box;
    expect(drag({ kind: "over", x: 1, y: 1 })).toBe(true);
    expect(screen.getAllByText("Drop to attach to this prompt")).toHaveLength(2);
    document.elementFromPoint = () => document.body;
    expect(drag({ kind: "over", x: 1, y: 1 })).toBe(false);
    expect(screen.queryByText("Drop to attach to this prompt")).toBeNull();
    document.elementFromPoint = () => box;
    drag({ kind: "over", x: 1, y: 1 });
    drag({ kind: "left" });
    expect(screen.queryByText("Drop to attach to this prompt")).toBeNull();
    drag({ kind: "drop", x: 1, y: 1, handed: () => Promise.resolve({ files: [{ id: "words", name: "a.txt", bytes: 5 }] }) });
    await screen.findByRole("button", { name: "Open a.txt" });
    expect(host.callsOf("session.prompt")).toEqual([]);
  });

  it("is left alone beside the session", async () => {
    await drawHanded();
    document.elementFromPoint = () => document.body;
    const handed = vi.fn<() => Promise<Handed>>();
    drag({ kind: "drop", x: 1, y: 1, handed });
    expect(handed).not.toHaveBeenCalled();
  });
});
