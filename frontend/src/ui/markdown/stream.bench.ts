import { bench, describe } from "vitest";
import { MarkdownStream } from "./stream";

// Only the parsing, without the browser's part.
const draw = (tokens: unknown[]) => String(tokens.length);

const section = [
  "## A heading", "", "A paragraph of **bold** and `code` words with a [link](https://example.org),",
  "on two lines.", "", "- one", "- two", "- three", "", "```ts", "const answer = 42;", "```", "",
];

const lines = Array.from({ length: 6000 }, (_, i) => `${section[i % section.length]}\n`);
const code = ["```go\n", ...Array.from({ length: 6000 }, (_, i) => `line ${i} of a long file\n`)];

function stream(pieces: string[]): void {
  const markdown = new MarkdownStream(draw);
  let text = "";
  for (const piece of pieces) {
    text += piece;
    markdown.update(text, false);
  }
  markdown.update(text, true);
}

describe("6,000 lines, one at a time", () => {
  bench("an ordinary answer", () => stream(lines), { iterations: 3, warmupIterations: 1 });
  bench("one block of code", () => stream(code), { iterations: 3, warmupIterations: 1 });
});

describe("6,000 lines at once", () => {
  bench("an ordinary answer", () => stream([lines.join("")]), { iterations: 3, warmupIterations: 1 });
});
