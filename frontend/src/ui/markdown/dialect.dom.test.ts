import { expect, test } from "vitest";
import { draw, lex } from "./dialect";
import { openFormula } from "./math";

function html(source: string): string {
  const box = document.createElement("div");
  box.innerHTML = draw(lex(source, {}));
  for (const link of box.querySelectorAll("a")) for (const name of ["rel", "target"]) link.removeAttribute(name);
  return box.innerHTML.trim();
}
const formula = (text: string) => `<code class="formula">${text}</code>`;

test.each([
  ["**注意：**先保存", "<strong>注意：</strong>先保存"],
  ["请**「重点」**看", "请<strong>「重点」</strong>看"],
  ["这是**“重点”**的内容", "这是<strong>“重点”</strong>的内容"],
  ["约**50%**的人", "约<strong>50%</strong>的人"],
  ["**（注）**后文", "<strong>（注）</strong>后文"],
  ["これは**強調です。**次の文", "これは<strong>強調です。</strong>次の文"],
  ['**"한국어"**는 좋다', '<strong>"한국어"</strong>는 좋다'],
  ["*注意：*先保存", "<em>注意：</em>先保存"],
  ["***注意！***先保存", "<em><strong>注意！</strong></em>先保存"],
  ["中文。**“引用”**，中文", "中文。<strong>“引用”</strong>，中文"],
  ["a**b**c 2 * 3 * 4", "a<strong>b</strong>c 2 * 3 * 4"],
  ['a**"b"**c', 'a**"b"**c'],
  ["** 注意：**先", "** 注意：**先"],
])("bold beside signs of other scripts: %s", (source, want) => {
  expect(html(source)).toBe(`<p>${want}</p>`);
});

const link = (href: string) => `<a href="${href}" title="${href}">${href}</a>`;
test.each([
  ["见 https://example.com/a，后面", `见 ${link("https://example.com/a")}，后面`],
  ["https://example.com/a。", `${link("https://example.com/a")}。`],
  ["（https://example.com/a）", `（${link("https://example.com/a")}）`],
  ["“https://example.com/a”", `“${link("https://example.com/a")}”`],
  ["it is ‘https://example.com/a’.", `it is ‘${link("https://example.com/a")}’.`],
  ["(see https://example.com/a).", `(see ${link("https://example.com/a")}).`],
  ["https://example.com/a_(b) c", `${link("https://example.com/a_(b)")} c`],
  ["[https://example.com/a]", `[${link("https://example.com/a")}]`],
  ["https://example.com/a、https://example.com/b", `${link("https://example.com/a")}、${link("https://example.com/b")}`],
  ["https://example.com/中文/x 后", `<a href="https://example.com/%E4%B8%AD%E6%96%87/x" title="https://example.com/%E4%B8%AD%E6%96%87/x">https://example.com/中文/x</a> 后`],
])("a bare address ends where it ends: %s", (source, want) => {
  expect(html(source).replaceAll(/ ?<code>[^<]*<\/code>/g, "")).toBe(`<p>${want}</p>`);
});

test.each([
  "${A}/${B} in a sentence",
  "costs $5 or $10",
  "$HOME/$USER and $PATH:$HOME",
  "$(pwd)/a and $(ls)/b",
  "make $@ from $< and $^",
  "$(SRC)/%.o: $(SRC)/%.c",
  "/^a$/ or /^b$/",
  "^foo$|^bar$ in a pattern",
  "(a|b)$ and (c|d)$",
  "`x` $('#a').hide() and $('#b').show()",
  "$.ajax,$.get",
  "$foo->bar and $baz->qux",
  "$a,$b,$c",
  "kill $$ and echo $$",
  "US$5 and AU$6",
])("what a shell, make or a script writes is no formula: %s", (source) => {
  expect(html(source)).not.toContain("formula");
});

test.each([
  ["$x$", "x"],
  ["$E = mc^2$ is known", "E = mc^2"],
  ["设$x$为", "x"],
  ["${\\frac{a}{b}}$", "{\\frac{a}{b}}"],
  ["$(a+b)^2$", "(a+b)^2"],
  ["$(x_1, y_1)$", "(x_1, y_1)"],
  ["$|x|$", "|x|"],
  ["\\(a + b\\)", "a + b"],
  ["it is \\(\\frac{1}{2}\\), so", "\\frac{1}{2}"],
  ["\\(x\\)", "x"],
])("what is TeX is one: %s", (source, want) => {
  expect(html(source)).toContain(formula(want));
});

test.each([
  ["\\[ x = 1 \\]", "x = 1"],
  ["\\[\n\\int_0^1 x\n\\]", "\\int_0^1 x"],
  ["before\n\\[\nx^2\n\\]\nafter", "x^2"],
  ["so \\[x^2\\] it is", "x^2"],
  ["so $$ x = 1 $$ it is", "x = 1"],
])("a formula of its own: %s", (source, want) => {
  expect(html(source)).toContain(`<code class="formula-block">${want}</code>`);
});

test.each([
  ["\\(see below\\)", "(see below)"],
  ["\\(well-known and/or not\\)", "(well-known and/or not)"],
  ["\\[link\\]", "[link]"],
  ["\\[1\\]", "[1]"],
  ["\\[a\\](b)", "[a](b)"],
  ["see \\[12\\] and \\[3, 4\\]", "see [12] and [3, 4]"],
  ["a \\[ \\] b", "a [ ] b"],
  ["\\(x", "(x"],
])("escaped brackets around words are brackets: %s", (source, want) => {
  expect(html(source)).toBe(`<p>${want}</p>`);
});

test("a formula in brackets whose end is to come is waited for", () => {
  expect(openFormula("a\n\\[\nx^2")).toBe(2);
  expect(openFormula("a\n\\[\nx^2\n\\]")).toBe(-1);
  expect(openFormula("a\n\\[\nx^2\n\nb")).toBe(-1);
});

test.each([
  ["1~3 and 80~100", "1~3 and 80~100"],
  ["~5 and ~6", "~5 and ~6"],
  ["~a~", "~a~"],
  ["~~gone~~ stays", "<del>gone</del> stays"],
  ["H~2~O", "H~2~O"],
  ["~~a ~b~~", "<del>a ~b</del>"],
  ["~~删除：~~后面", "<del>删除：</del>后面"],
  ["旧~~（价格）~~新", "旧<del>（价格）</del>新"],
  ["~~“重点”~~的", "<del>“重点”</del>的"],
  ["这~~不~~是", "这<del>不</del>是"],
  ["~~ 删 ~~后", "~~ 删 ~~后"],
])("only two tildes strike: %s", (source, want) => {
  expect(html(source)).toBe(`<p>${want}</p>`);
});

test.each([
  ["R&amp;D isn&#39;t", "R&amp;D isn't"],
  ["&lt;b&gt;not bold&lt;/b&gt;", "&lt;b&gt;not bold&lt;/b&gt;"],
  ["&amp;lt;", "&amp;lt;"],
  ["&#42;not em&#42;", "*not em*"],
  ["&copy; &nbsp;&hellip; &#x41;", "© &nbsp;… A"],
  ["&nosuch; & &x AT&T;", "&amp;nosuch; &amp; &amp;x AT&amp;T;"],
  ["`&amp;`", "<code>&amp;amp;</code>"],
  ["&lt;img src=x onerror=alert(1)&gt;", "&lt;img src=x onerror=alert(1)&gt;"],
  ["- a &amp; b", "a &amp; b"],
])("an entity in prose is its character, once, and never markup: %s", (source, want) => {
  expect(html(source)).toContain(want);
  expect(html(source)).not.toMatch(/<img|<b>/);
});

test("an address is what its entities say, and is checked as that", () => {
  expect(html("[a](https://example.com/?a=1&amp;b=2)")).toContain('href="https://example.com/?a=1&amp;b=2"');
  expect(html("[a](javascript&colon;alert(1))")).not.toContain("href");
});

test.each([
  ["![foo *bar* `baz`](/url)", "foo bar baz"],
  ["![a <img src=x onerror=alert(1)> b](/url)", "a &lt;img src=x onerror=alert(1)&gt; b"],
  ['![a " onerror="alert(1)](data:image/png;base64,iVBORw0KGgo=)', '<img src="data:image/png;base64,iVBORw0KGgo=" alt="a &quot; onerror=&quot;alert(1)">'],
  ["![&lt;script&gt;alert(1)&lt;/script&gt;](/url)", "&lt;script&gt;alert(1)&lt;/script&gt;"],
  ["![<b onclick=alert(1)>x</b>](https://x.example/y)", '<a href="https://x.example/y" title="https://x.example/y">&lt;b onclick=alert(1)&gt;x&lt;/b&gt;</a>'],
])("the words of a picture are text: %s", (source, want) => {
  expect(html(source)).toBe(`<p>${want}</p>`);
});
