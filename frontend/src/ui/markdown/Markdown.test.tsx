import { cleanup, render, screen, waitFor } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createSignal } from "solid-js";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { Markdown } from ".";
import { setPlainly } from "../../lib/plainly";

afterEach(cleanup);

test("a block that is complete keeps its elements while the text grows", () => {
  const [text, setText] = createSignal("First *paragraph*.\n\nSec");
  const { container } = render(() => <Markdown text={text()} open />);
  const first = container.querySelector("em");
  setText(`${text()}ond.\n\n- a`);
  setText(`${text()}\n- b`);
  expect(container.querySelector("em")).toBe(first);
  expect(container.textContent).toContain("Second.");
  expect(container.querySelectorAll("li")).toHaveLength(2);
});

test("open code grows by what is new", () => {
  const [text, setText] = createSignal("```js\nlet a = 1;\n");
  const { container } = render(() => <Markdown text={text()} open />);
  const node = container.querySelector("code")?.firstElementChild?.firstElementChild?.firstChild;
  for (let i = 0; i < 100; i++) setText(`${text()}line ${i}\n`);
  expect(container.querySelector("code")?.firstElementChild?.firstElementChild?.firstChild).toBe(node);
  expect(container.querySelectorAll('[data-component="code-text"] > div')).toHaveLength(2);
  setText(`${text()}\`\`\`\n\nafter`);
  expect(container.querySelector("code")?.textContent).toBe(
    `let a = 1;\n${Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n")}`,
  );
  expect(container.textContent).toContain("after");
});

test("a text of many blocks is drawn whole, and shrinks and grows", () => {
  const [text, setText] = createSignal("");
  const { container } = render(() => <Markdown text={text()} open />);
  const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`);
  for (const n of [31, 32, 33, 64, 100, 65, 64, 150, 200, 255, 256, 257, 300, 33, 32, 1, 0, 20]) {
    setText(words(n).join("\n\n"));
    expect([...container.querySelectorAll("p")].map((p) => p.textContent)).toEqual(words(n));
  }
});

test.each([true, false])("so is one of very many, open: %s", async (open) => {
  const [text, setText] = createSignal("");
  const { container } = render(() => <Markdown text={text()} open={open} />);
  const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`);
  for (const n of [255, 256, 257, 600, 513, 300, 272, 256, 20, 0, 300]) {
    setText(words(n).join("\n\n"));
    await vi.waitFor(() => expect([...container.querySelectorAll("p")].map((p) => p.textContent)).toEqual(words(n)));
  }
});

test("much that comes at once is read bit by bit, to its end", async () => {
  const [text, setText] = createSignal("start");
  const [open, setOpen] = createSignal(true);
  const { container } = render(() => <Markdown text={text()} open={open()} />);
  setText(`start\n\n${Array.from({ length: 400 }, (_, i) => `line ${i} ${"word ".repeat(20)}`).join("\n\n")}`);
  setOpen(false);
  expect(container.querySelectorAll("p").length).toBeLessThan(300);
  await vi.waitFor(() => expect(container.querySelectorAll("p")).toHaveLength(401));
});

test("another text starts anew", () => {
  const [text, setText] = createSignal("one\n\ntwo\n\nthree");
  const { container } = render(() => <Markdown text={text()} />);
  setText("four");
  expect(container.textContent?.trim()).toBe("four");
});

test("code is copied as it was written", async () => {
  const user = userEvent.setup();
  render(() => <Markdown text={"```sh\necho a\n  echo b\n```"} />);
  await user.click(screen.getByRole("button", { name: "Copy code" }));
  expect(await navigator.clipboard.readText()).toBe("echo a\n  echo b");
  expect(screen.getByRole("button", { name: "Copied" })).toBeInTheDocument();
});

test("code has no drawing of its own for what it offers, of which a page has hundreds", () => {
  const { container } = render(() => <Markdown text={"```go\nfunc one() {}\n```\n"} />);
  expect(screen.getByRole("button", { name: "Copy code" }).querySelector('[data-icon="copy"]')).not.toBeNull();
  expect(container.querySelectorAll("svg")).toHaveLength(0);
  expect(document.documentElement.style.getPropertyValue("--icon-copy")).toMatch(/^url\("data:image\/svg\+xml,[^"<>]+"\)$/);
});

test("a very long text is folded, and plain when asked for", async () => {
  const user = userEvent.setup();
  const { container } = render(() => <Markdown text={"**bold** words\n".repeat(20_000)} />);
  expect(container.querySelector("strong")).toBeNull();
  await user.click(screen.getByRole("button", { name: /Long text, 300 KB/ }));
  expect(container.querySelector("strong")).toBeNull();
  expect(container.textContent).toContain("**bold** words");
});

test("hidden characters in code are shown", () => {
  const { container } = render(() => <Markdown text={"```\nif admin \u202e { \u2066\n```"} />);
  expect(container.querySelector("code")?.textContent).toBe("if admin ⟨U+202E⟩ { ⟨U+2066⟩");
});

test.each([
  ["- a\n- b", ["", ""]],
  ["- a\n\n- b", ["loose", "loose"]],
  ["- [x] a\n- b", ["task", ""]],
  ["- [x] a\n\n- [ ] b", ["loose task", "loose task"]],
  ["- a\n  - [ ] b", ["", "task"]],
])("%j: items are marked by what is in them", (text, classes) => {
  const { container } = render(() => <Markdown text={text} />);
  expect([...container.querySelectorAll("li")].map((item) => item.className)).toEqual(classes);
});

test("a block says which heading it begins with, also while it grows", () => {
  const [text, setText] = createSignal("word\n\n#");
  const { container } = render(() => <Markdown text={text()} open />);
  const headings = () => [...container.querySelectorAll<HTMLElement>('[data-slot="block"]')].map((block) => block.dataset["heading"] ?? "");
  setText(`${text()} One\n\n##### Two\n\nend`);
  expect(headings()).toEqual(["", "3", "6", ""]);
});

test("formulas are their source until what draws them is there", async () => {
  const source = "It is $x < y$.\n\n$$\n\\frac{a}{b}\n$$\n\n$\\nonsense{$\n";
  const { container } = render(() => <Markdown text={source} />);
  expect([...container.querySelectorAll("code")].map((code) => [code.className, code.textContent])).toEqual([["formula", "x < y"], ["formula-block", "\\frac{a}{b}"], ["formula", "\\nonsense{"]]);
  await waitFor(() => expect(container.querySelectorAll("code.formula, code.formula-block")).toHaveLength(0));
  expect(container.innerHTML).toContain("<mfrac><mi>a</mi><mi>b</mi></mfrac>");
  expect(container.querySelector(".math")).toHaveTextContent("x<y");
  expect([...container.querySelectorAll("code")].map((code) => [code.className, code.textContent])).toEqual([["math-error", "\\nonsense{"]]);
});

test("drawn plainly, there are no diagrams, no formulas and no colours", () => {
  setPlainly(true);
  onTestFinished(() => void setPlainly(false));
  const source = "It is $x^2$.\n\n$$\ny < 1\n$$\n\n```mermaid\nflowchart LR\n```\n\n```js\nlet a = 1;\n```\n";
  const { container } = render(() => <Markdown text={source} />);
  expect(container.querySelector("math, [data-component='diagram']")).toBeNull();
  expect([...container.querySelectorAll("p")].map((p) => p.textContent)).toEqual(["It is x^2.", "y < 1"]);
  expect(container.textContent).toContain("flowchart LR");
  expect(container.querySelectorAll("code [style], code [data-colour], code span[class]")).toHaveLength(0);
});
