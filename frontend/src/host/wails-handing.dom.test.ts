import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Drag } from "./handing";
import { createHanding, type WailsHanding } from "./wails-handing";

const bound = {
  Paste: vi.fn<() => Promise<string>>(),
  Dropped: vi.fn<(number: number) => Promise<string>>(),
  Read: vi.fn<(id: string) => Promise<string>>(),
  Accept: vi.fn<(may: boolean) => Promise<void>>(),
  Lent: vi.fn<() => Promise<string>>(),
  Lend: vi.fn<(key: string, name: string, content: string) => Promise<void>>(),
};
let handing: WailsHanding;

beforeEach(() => {
  for (const method of Object.values(bound)) method.mockReset();
  bound.Accept.mockResolvedValue(undefined);
  bound.Lent.mockResolvedValue("file:///data/a%20b/lent/");
  bound.Lend.mockResolvedValue(undefined);
  handing = createHanding(bound, (error) => {
    throw new Error(`failed: ${String(error)}`);
  });
});

describe("a drag", () => {
  it("is told in pixels of the page, and what listeners say is answered once", () => {
    const heard: Drag[] = [];
    let takes = false;
    handing.onDrag((drag) => {
      heard.push(drag);
      return takes;
    });
    handing.onDrag(() => false);
    const over = () => handing.dragged({ kind: "over", x: 0.5, y: 0.25 });
    over();
    expect(bound.Accept).not.toHaveBeenCalled();
    takes = true;
    over();
    over();
    takes = false;
    over();
    expect(bound.Accept.mock.calls).toEqual([[true], [false]]);
    expect(heard[0]).toEqual({ kind: "over", x: innerWidth / 2, y: innerHeight / 4 });
  });

  it("begins with no each time", () => {
    handing.onDrag(() => true);
    for (const kind of ["over", "left", "over"] as const) handing.dragged({ kind, x: 0, y: 0 });
    expect(bound.Accept.mock.calls).toEqual([[true], [true]]);
  });

  it("gives what was dropped only to who asks", async () => {
    bound.Dropped.mockResolvedValue('{"text":"words"}');
    let dropped: Drag | undefined;
    const off = handing.onDrag((drag) => {
      dropped = drag;
      return false;
    });
    handing.dragged({ kind: "drop", x: 0, y: 0, number: 7 });
    expect(bound.Dropped).not.toHaveBeenCalled();
    if (dropped?.kind !== "drop") throw new Error("no drop");
    await expect(dropped.handed()).resolves.toEqual({ text: "words" });
    expect(bound.Dropped).toHaveBeenCalledWith(7);
    off();
    dropped = undefined;
    handing.dragged({ kind: "left", x: 0, y: 0 });
    expect(dropped).toBeUndefined();
  });
});

it("reads bytes, and a failure is the host's", async () => {
  bound.Read.mockResolvedValueOnce("AAH/").mockRejectedValueOnce("gone");
  await expect(handing.read("f1")).resolves.toEqual(Uint8Array.from([0, 1, 255]));
  await expect(handing.read("f1")).rejects.toThrow("failed: gone");
  bound.Paste.mockRejectedValueOnce("no");
  await expect(handing.paste()).rejects.toThrow("failed: no");
});

it("has a file written where it says at once that it will be", async () => {
  await Promise.resolve();
  const address = handing.lend("a é#.png", new Blob([Uint8Array.from([0, 1, 255])]));
  const [, key] = /^file:\/\/\/data\/a%20b\/lent\/([0-9a-f]{16})\/a%20%C3%A9%23\.png$/.exec(address) ?? [];
  expect(key).toBeDefined();
  await vi.waitFor(() => expect(bound.Lend.mock.calls).toEqual([[key, "a é#.png", "AAH/"]]));
});
