import { expect, test } from "vitest";
import { hasHidden, segments, showHidden, showTurning } from "./visible";

test.each([
  ["plain text, é 🙂 \t\n שלום", "plain text, é 🙂 \t\n שלום"],
  ["rm \u202e-rf", "rm ⟨U+202E⟩-rf"],
  ["a\u200bb\ufeff", "a⟨U+200B⟩b⟨U+FEFF⟩"],
  ["\u001b[31m", "⟨U+001B⟩[31m"],
  ["over\rwritten", "over⟨U+000D⟩written"],
  ["line\r\nline", "line\nline"],
  ["👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥"],
  ["می\u200cخواهم क\u094d\u200dष", "می\u200cخواهم क\u094d\u200dष"],
  ["a\u200db 👨\u200d", "a⟨U+200D⟩b 👨⟨U+200D⟩"],
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

test("prose shows what turns it, and leaves alone how it is written", () => {
  expect(showTurning("a\u202eb\u2066c\u{e0041}")).toBe("a⟨U+202E⟩b⟨U+2066⟩c⟨U+E0041⟩");
  expect(showTurning("soft\u00adhyphen \u200fשלום")).toBe("soft\u00adhyphen \u200fשלום");
});
