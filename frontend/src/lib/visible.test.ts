import { expect, test } from "vitest";
import { hasHidden, segments, showHidden } from "./visible";

test.each([
  ["plain text, é 🙂 \t\n שלום", "plain text, é 🙂 \t\n שלום"],
  ["rm \u202e-rf", "rm ⟨U+202E⟩-rf"],
  ["a\u200bb\ufeff", "a⟨U+200B⟩b⟨U+FEFF⟩"],
  ["\u001b[31m", "⟨U+001B⟩[31m"],
  ["over\rwritten", "over⟨U+000D⟩written"],
  ["line\r\nline", "line\nline"],
  ["tag \u{e0041}", "tag ⟨U+E0041⟩"],
])("showHidden(%j)", (text, shown) => expect(showHidden(text)).toBe(shown));

test("asking does not change what is found afterwards", () => {
  const text = "a \u202e b";
  expect([hasHidden(text), hasHidden(text), hasHidden("a b")]).toEqual([true, true, false]);
  expect(segments(text)).toEqual([
    { text: "a ", hidden: false },
    { text: "U+202E", hidden: true },
    { text: " b", hidden: false },
  ]);
});
