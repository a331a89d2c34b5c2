import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { type MarkdownBlock, MarkdownStream, readMarkdown } from "./stream";

// A small seeded generator, so that failures can be reproduced.
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = [
  "word", "two words ", "\n", "\n\n", "\n\n\n", "# ", "## Head", "- ", "* item", "1. ", "2) two", "    indented",
  "\tx", "> ", "> quote", "```", "```js\n", "~~~", "`", "``", "**", "*", "_", "~~", "[a]", "[a](https://x.org)", "[a]: https://y.org",
  "![i](", ")", "| a | b |\n|---|---|\n| 1 | 2 |", "|", "---", "===", "<b>", "</b>", "<!--", "-->", "<script>", "<div>", "&amp;", "\\",
  "https://auto.example", "é", "🙂", "\u202e", "\r\n", "\r", "   ", "- [ ] task", "+ x\n  - y\n    - z", "[b]: /u \"t", "\"", ":", "- a\n\n  b",
  "$$", "$$\n", "\n$$\n", "$x$", "$", "$$y$$", "[^1]", "[^1]: note", "\n[^b]: b\n", "\n    more",
];

function text(next: () => number, length: number): string {
  let out = "";
  for (let i = 0; i < length; i++) out += PIECES[Math.floor(next() * PIECES.length)];
  return out;
}

// Shows more than markup, and needs no browser.
const draw = (tokens: unknown[]) => JSON.stringify(tokens);

function whole(source: string): MarkdownBlock[] {
  const stream = new MarkdownStream(draw);
  stream.update(source, true);
  return stream.blocks;
}

function streamed(source: string, next: () => number, most: number): MarkdownBlock[] {
  const stream = new MarkdownStream(draw);
  const mirror: MarkdownBlock[] = [];
  const take = (end: number, done: boolean) => {
    const from = stream.update(source.slice(0, end), done);
    mirror.length = Math.min(mirror.length, stream.blocks.length);
    for (let i = from; i < stream.blocks.length; i++) mirror[i] = structuredClone(stream.blocks[i]) as MarkdownBlock;
  };
  for (let end = 0; end < source.length; ) {
    end = Math.min(source.length, end + 1 + Math.floor(next() * most));
    take(end, false);
  }
  take(source.length, true);
  return mirror;
}

describe("a text in pieces gives what the whole text gives", () => {
  test.each([1, 2, 3, 4, 5, 6])("short random texts, seed %i", (seed) => {
    const next = random(seed);
    for (let i = 0; i < 120; i++) {
      const source = text(next, 1 + Math.floor(next() * 40));
      expect(streamed(source, next, 7)).toEqual(whole(source));
    }
  });

  test("long random texts", () => {
    const next = random(77);
    for (let i = 0; i < 6; i++) {
      const source = text(next, 4000);
      expect(streamed(source, next, 900)).toEqual(whole(source));
    }
  });

  test.each([
    ["paragraph", "some words in a line that continues\n"],
    ["line", "some words in a line that continues "],
    ["word", "x"],
    ["list", "- an item of a list\n"],
    ["loose list", "1. an item of a list\n\n   with more\n"],
    ["quote", "> quoted words\n"],
    ["indented code", "    code\n"],
    ["nested", "- a\n  ```\n  code\n  ```\n"],
  ])("one block without end: %s", (_name, piece) => {
    const next = random(5);
    const source = piece.repeat(Math.ceil(50_000 / piece.length));
    expect(streamed(source, next, 3000)).toEqual(whole(source));
  });
});

test("ordinary texts read as the library reads them", () => {
  const source = [
    "# Title", "", "A *first* paragraph with `code`", "on two lines.", "", "- one", "- two", "  1. deep", "", "> a quote", "> goes on", "",
    "| a | b |", "|---|:-:|", "| 1 | 2 |", "", "Setext", "======", "", "text", "***", "", "~~gone~~ **bold**",
  ].join("\n");
  const ours = readMarkdown(source).map((b) => b.html).join("");
  const normal = (html: string) => html.replace(/\s*\n\s*/g, "");
  const theirs = marked.parse(source, { async: false }).replace("<h1>", "<h3>").replaceAll("</h1>", "</h3>").replace("<h1>", "<h3>");
  expect(normal(ours)).toBe(normal(theirs));
});

describe("fenced code", () => {
  test.each([
    ["plain", "```go\nfunc main() {}\n```\n", "go", "func main() {}"],
    ["not closed", "```\na\n\n\n# b", "", "a\n\n\n# b"],
    ["longer fence inside", "````md\n```js\nx\n```\n````", "md", "```js\nx\n```"],
    ["indented fence", "  ```\n    a\n  b\nc\n  ```", "", "  a\nb\nc"],
    ["tildes", "~~~ python {.numbered}\nx\n~~~", "python", "x"],
    ["empty", "```\n```", "", ""],
    ["blank line only", "```\n\n```", "", ""],
  ])("%s", (_name, source, lang, code) => {
    expect(readMarkdown(source)).toMatchObject([{ kind: "code", lang, text: code }]);
  });

  test("the closing fence is never shown while it arrives", () => {
    const stream = new MarkdownStream();
    const source = "```js\nlet a\n```\nafter";
    for (let end = 1; end <= source.length; end++) {
      stream.update(source.slice(0, end), false);
      expect(stream.blocks[0]?.text ?? "").not.toContain("`");
    }
    expect(stream.blocks).toMatchObject([{ kind: "code", text: "let a" }, { kind: "html" }]);
  });
});

describe("what is half open looks as it will", () => {
  test.each([
    ["some **bold", "<p>some <strong>bold</strong></p>"],
    ["some `code", "<p>some <code>code</code></p>"],
    ["see [the text](https://exam", "<p>see the text</p>"],
    ["text\n-", "<p>text</p>"],
    ["text\n1.", "<p>text</p>"],
    ["- one\n- ", "<ul>\n<li>one</li>\n</ul>"],
  ])("%j", (source, html) => {
    const stream = new MarkdownStream();
    stream.update(source, false);
    expect(stream.blocks.map((b) => b.html.trim())).toEqual([html]);
  });
});

describe("link definitions", () => {
  test("work after and before their use", () => {
    const blocks = readMarkdown("[x] and [y]\n\n[x]: https://x.org\n[y]: <https://y.org> \"t\"\n\n[X]");
    const html = blocks.map((b) => b.html).join("");
    expect(html.match(/href="https:\/\/x\.org\/"/g)).toHaveLength(2);
    expect(html).toContain('href="https://y.org/"');
  });

  test("the names of an object's own members are no definitions", () => {
    const stream = new MarkdownStream();
    for (const done of [false, true]) {
      stream.update("[constructor] [x][hasOwnProperty] [toString]", done);
      expect(stream.blocks[0]?.html).toBe("<p>[constructor] [x][hasOwnProperty] [toString]</p>\n");
    }
  });
});

// The cost is counted in characters parsed as Markdown, so it is the same on every machine.
describe("the cost of a piece does not grow with what came before", () => {
  const cost = (line: string, lines: number) => {
    const stream = new MarkdownStream(draw);
    const costs: number[] = [];
    let source = "";
    for (let i = 0; i < lines; i++) {
      source += line.replaceAll("%d", String(i));
      const before = stream.lexed;
      stream.update(source, false);
      costs.push(stream.lexed - before);
    }
    stream.update(source, true);
    return { costs, total: stream.lexed, length: source.length };
  };
  const most = (costs: number[]) => Math.max(...costs);

  test.each([
    ["paragraphs", "A paragraph, number %d, with some words.\n\n", 400],
    ["headings", "# Heading %d\n", 400],
  ])("%s are read a fixed number of times", (_name, line, limit) => {
    const { costs } = cost(line, 6000);
    expect(most(costs)).toBeLessThan(limit);
    expect(most(costs.slice(-1000))).toBeLessThanOrEqual(most(costs.slice(0, 1000)) + 40);
  });

  test.each([
    ["one paragraph", "words and more words, number %d, in a line\n"],
    ["one line", "words and more words, number %d, "],
    ["one list", "- an item, number %d, of a list\n"],
    ["one quote", "> a line, number %d, of a quote\n"],
    ["one table", "| a | %d |\n|---|---|\n| b | %d |\n"],
  ])("%s: bounded", (_name, line) => {
    const { costs } = cost(line.repeat(3), 300);
    expect(most(costs.slice(-100))).toBeLessThanOrEqual(1.2 * most(costs.slice(0, 200)));
    expect(most(costs)).toBeLessThan(80_000);
  });

  test("open code is not read at all", () => {
    const stream = new MarkdownStream(draw);
    let source = "```js\n";
    stream.update(source, false);
    const before = stream.lexed;
    for (let i = 0; i < 6000; i++) {
      source += `line ${i}\n`;
      stream.update(source, false);
    }
    expect(stream.lexed).toBe(before);
    expect(stream.blocks[0]?.text.split("\n")).toHaveLength(6000);
  });

  test("a whole text at once is read at most a few times", () => {
    const source = "A paragraph with **bold** words.\n\n- a\n- b\n\n".repeat(5000);
    const stream = new MarkdownStream(draw);
    stream.update(source, true);
    expect(stream.lexed).toBeLessThan(3 * source.length);
  });
});
