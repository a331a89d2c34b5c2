import { describe, expect, it } from "vitest";
import { type Browser, readOwnStyles } from "./own-styles";

/** The part jsdom supports: it parses rules but does not validate values. */
const browser: Browser = {
  parse(text) {
    const style = document.createElement("style");
    style.textContent = text;
    document.head.append(style);
    const rules = [...(style.sheet?.cssRules ?? [])];
    style.remove();
    return rules;
  },
  supports: (property, value) => (property === "color" ? /^(#|oklch\(|red$)/ : /^\d/).test(value),
};

const read = (text: string) => readOwnStyles(text, browser);

describe("a user's own style sheet", () => {
  it("gives its tokens", () => {
    expect(read(':root { --accent: #a33; --radius-2: 4px } :root[data-theme="dark"] { --bg: oklch(0.2 0 0); }')).toEqual({
      css: ":root:root:root { --accent: #a33; --radius-2: 4px; }\n:root:root:root[data-theme=\"dark\"] { --bg: oklch(0.2 0 0); }",
      taken: 3,
      problems: [],
    });
  });

  it.each([
    ["body { --bg: red }", "body", "place"],
    [':root[data-theme="dark"] > body { --bg: red }', ':root[data-theme="dark"] > body', "place"],
    ["@media print { :root { --bg: red } }", "@media", "place"],
    [":root { --secret: red }", "--secret", "token"],
    [":root { color: red }", "color", "token"],
    [":root { display: none }", "display", "token"],
    [":root { --bg: 4px }", "--bg: 4px", "value"],
    [":root { --bg: url(https://example.org/x) }", "--bg: url(", "value"],
    [":root { --bg: var(--text) }", "--bg: var(--text)", "value"],
    [":root { --radius-2: red }", "--radius-2: red", "value"],
  ])("%s is left out", (text, what, why) => {
    const found = read(text);
    expect(found).toMatchObject({ css: "", taken: 0 });
    expect(found.problems).toEqual([{ what: expect.stringContaining(what), why }]);
  });

  it("says a bounded number of what is wrong", () => {
    expect(read(`:root { ${Array.from({ length: 50 }, (_, i) => `--x${i}: 1;`).join(" ")} }`).problems).toHaveLength(20);
  });
});
