import { describe, expect, it, vi } from "vitest";
import { countLines, isLong, textOf, toAttachment, unfold } from "../../store/pasted";
import type { AppState } from "../../store/state";
import { fitted, imageType, longSide, turned } from "./images";
import { mentionOf, typed } from "./mention";
import { rejectedContentOf } from "./rejected-content";
import { find } from "./slash";

describe("mentions", () => {
  it.each([
    ["@", 1, { from: 0, quoted: false, words: "" }],
    ["see @src/a", 10, { from: 4, quoted: false, words: "src/a" }],
    ["see @src/a then", 10, { from: 4, quoted: false, words: "src/a" }],
    ['(@"a b', 6, { from: 1, quoted: true, words: "a b" }],
    ['@"a b" c', 8, null],
    ["ada@example", 11, null],
    ["@a b", 4, null],
    [`${"x".repeat(600)} @abc`, 605, { from: 601, quoted: false, words: "abc" }],
  ])("%s at %d", (text, caret, want) => expect(typed(text, caret)).toEqual(want));

  it.each([
    ["src/main.go", "@src/main.go"],
    ["src/", "@src/"],
    ["Übung.md", "@Übung.md"],
    ["-rf.txt", "@-rf.txt"],
    ["a b.txt", '@"a b.txt"'],
    ["odd).txt)", '@"odd).txt)"'],
    ["new\nline", '@"new\nline"'],
    ['quo"te', '@quo"te'],
    ['both "of them"', '"both \\"of them\\""'],
  ])("%j is written %j", (path, want) => expect(mentionOf(path)).toBe(want));
});

describe("commands", () => {
  const command = (name: string, kind = "command", description = "") => ({ name, description, argumentHint: "", kind });
  const all = [command("compact"), command("review"), command("my-review", "skill"), command("reviewer", "agent"), command("context", "command", "What fills it")];
  const names = (words: string) => find(all, words).map((c) => c.name);

  it("stand by kind, the kind with the best first", () => {
    expect(names("")).toEqual(["compact", "review", "context", "my-review", "reviewer"]);
    expect(names("review")).toEqual(["review", "reviewer", "my-review"]);
    expect(names("my-r")).toEqual(["my-review"]);
  });
  it("are found by letters and by what they are for", () => {
    expect(names("cmpct")).toEqual(["compact"]);
    expect(names("fills")).toEqual(["context"]);
    expect(names("zzz")).toEqual([]);
  });
});

describe("images", () => {
  const bytes = (...list: number[]) => new Uint8Array([...list, ...Array.from({ length: 20 }, () => 0)]);

  it("are known by what is in them", () => {
    expect(imageType(bytes(0x89, 0x50, 0x4e, 0x47))).toBe("image/png");
    expect(imageType(bytes(0xff, 0xd8, 0xff))).toBe("image/jpeg");
    expect(imageType(new TextEncoder().encode("GIF89a......"))).toBe("image/gif");
    expect(imageType(new TextEncoder().encode("RIFF....WEBP"))).toBe("image/webp");
    expect(imageType(new TextEncoder().encode("<svg></svg>.."))).toBeNull();
    expect(imageType(new Uint8Array())).toBeNull();
  });

  it("are sent no larger than the model sees them", () => {
    expect(fitted(100, 50)).toEqual({ width: 100, height: 50 });
    expect(fitted(longSide * 2, 100)).toEqual({ width: longSide, height: 50 });
    expect(fitted(20_000, 1)).toEqual({ width: longSide, height: 1 });
  });

  it("say when they are turned", () => {
    const exif = (orientation: number) =>
      new Uint8Array([
        0xff, 0xd8, 0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
      ]);
    expect(turned(exif(6))).toBe(true);
    expect(turned(exif(1))).toBe(false);
    expect(turned(exif(6).slice(0, 20))).toBe(false);
    expect(turned(new Uint8Array([0xff, 0xd8]))).toBe(false);
  });
});

describe("a long text", () => {
  it("is put aside, and is what it was", () => {
    expect([isLong("x".repeat(10_000)), isLong("x".repeat(10_001)), isLong("\n".repeat(199)), isLong("\n".repeat(200))]).toEqual([false, true, false, true]);
    expect(countLines("a\nb")).toBe(2);
    const text = "Grüße 👩‍🚀\n".repeat(5000);
    expect(textOf(toAttachment(text, "it"))).toBe(text);
  });

  it("goes out with the words", () => {
    const pasted = toAttachment("long\n", "it");
    const image = { ...pasted, mediaType: "image/png" };
    expect(unfold("see", [image, pasted])).toEqual({ text: "see\n\n<pasted-text>\nlong\n</pasted-text>", attachments: [image] });
    expect(unfold("", [pasted]).text).toBe("<pasted-text>\nlong\n</pasted-text>");
    expect(unfold(" as it is ", [image])).toEqual({ text: " as it is ", attachments: [image] });
  });
});

describe("a conversation that is refused", () => {
  const refused = "API Error: 400 messages.2.content.0.image.source.base64: image exceeds 5 MB maximum";
  function state(...turns: [prompt: string, answer: string, isError: boolean][]): AppState {
    const messages: Record<string, unknown> = {};
    const blocks: Record<string, unknown> = {};
    const order = turns.flatMap(([prompt, answer, isError], i) => {
      messages[`p${i}`] = { id: `p${i}`, role: "user", promptId: `x${i}`, blockIds: [`bp${i}`] };
      messages[`a${i}`] = { id: `a${i}`, role: "assistant", blockIds: [`ba${i}`], result: { isError } };
      blocks[`bp${i}`] = { text: prompt };
      blocks[`ba${i}`] = { text: answer };
      return [`p${i}`, `a${i}`];
    });
    return { conversations: { s: { order, messages, blocks } } } as unknown as AppState;
  }

  it("is known by its last turns, and continues before the first of them", () => {
    expect(rejectedContentOf(state(["hello", "Hi.", false], ["look", refused, true], ["again", refused, true]), "s")).toEqual({ kind: "image", before: "a0", prompt: "look" });
    expect(rejectedContentOf(state(["look", refused, true]), "s")).toEqual({ kind: "image", before: "", prompt: "look" });
    expect(rejectedContentOf(state(["x", "API Error: 400 text content blocks must be non-empty", true]), "s")?.kind).toBe("empty");
  });

  it.each([
    ["nothing was refused", state(["hello", "Hi.", false])],
    ["it went on", state(["look", refused, true], ["again", "Fine.", false])],
    ["another error came", state(["look", "API Error: 529 overloaded", true])],
    ["an answer speaks of it", state(["look", "The image exceeds the limit.", true])],
    ["nothing is known", { conversations: {} } as unknown as AppState],
  ])("is none when %s", (_why, with_) => expect(rejectedContentOf(with_, "s")).toBeNull());

  it("is told by the last turns alone, however many there are and whether their end is known", () => {
    const long = state(["look", refused, true], ["hello", "Hi.", false]);
    const messages = long.conversations["s"]?.messages as Record<string, { result?: unknown }>;
    delete messages["a1"]?.result;
    const read = vi.fn(() => undefined);
    for (const id of ["p0", "a0", "p1"]) Object.defineProperty(messages, id, { get: read });
    expect(rejectedContentOf(long, "s")).toBeNull();
    expect(read).not.toHaveBeenCalled();
  });
});
