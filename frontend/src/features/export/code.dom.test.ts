import { expect, test } from "vitest";
import { harmless } from "./markdown";

// What a reader treats as code is exported byte by byte; text beside it is sanitized.
test.each([
  ["in a list item", "- one:\n\n  ```ts\n  const a: Map<T, U> = f<T>();\n  ```\n- <b>two</b>", "const a: Map<T, U> = f<T>();"],
  ["in a nested list", "1. a\n   - b\n\n     ```html\n     <img src=x>\n     ```\n", "<img src=x>"],
  ["right behind the item's words", "* a\n  ```\n  <T>\n  ```\n* b", "<T>"],
  ["with tabs", "- a\n\n\t```\n\t<T>\n\t```\n", "<T>"],
  ["in a quote", "> ```\n> <T>\n> ![x](http://e.x/y)\n> ```\n", "![x](http://e.x/y)"],
  ["in a list in a quote", "> - a\n>   ```\n>   <T>\n>   ```\n", "<T>"],
  ["the same line twice", "`}` and <T>\n\n```\n}\n<T>\n}\n```\n", "}\n<T>\n}"],
  ["the same words before", "use <T> so:\n\n- x\n  ```\n  <T>\n  ```\n", "```\n  <T>\n  ```"],
  ["indented", "a\n\n    <T>\n    ![x](http://e.x)\n", "    <T>\n    ![x](http://e.x)"],
  ["tildes", "~~~\n<T>\n~~~", "<T>"],
  ["not closed", "- a\n\n  ```\n  <T>", "<T>"],
  ["in a span", "a `<T>` b", "`<T>`"],
  ["a span over lines", "a `<T>\n<U>` b", "`<T>\n<U>`"],
  ["in a table", "| a |\n|---|\n| `<T>` |", "`<T>`"],
])("code %s", (_, source, code) => {
  const made = harmless(source);
  expect(made).toContain(code);
  expect(made).not.toContain(`\\${code.trim()}`);
});

test("text beside it is made harmless", () => {
  expect(harmless("- <b>x</b>\n\n  ```\n  <T>\n  ```\n\n<i>y</i>")).toBe("- \\<b>x\\</b>\n\n  ```\n  <T>\n  ```\n\n\\<i>y\\</i>");
});
