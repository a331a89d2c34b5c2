import { describe, expect, test } from "vitest";
import { hostileDiagrams, hostileTexts, longTexts } from "./hostile";
import { withoutMarkup } from "./diagram";
import { loadMath } from "./math";
import { sanitize, sanitizeDrawing } from "./sanitize";
import { MarkdownStream, readMarkdown } from "./stream";

// What the page may contain, defined independently of the sanitizer.
const RUNS = /^(?:script|style|iframe|frame|object|embed|form|input|button|textarea|select|link|meta|base|svg|template|dialog|details|video|audio|source|annotation-xml|maction|noscript|area|map)$/i;
const LEADS = new Set(["src", "href", "action", "formaction", "xlink:href", "ping", "srcdoc", "srcset", "poster", "data", "background", "style", "id", "name"]);

function dangers(html: string): string[] {
  const page = new DOMParser().parseFromString(html, "text/html");
  const found: string[] = [];
  for (const element of page.body.querySelectorAll("*")) {
    if (RUNS.test(element.localName)) found.push(`<${element.localName}>`);
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) found.push(name);
      if (!LEADS.has(name)) continue;
      const web = element.localName === "a" && name === "href" && /^(?:https?:\/\/|mailto:)/.test(value);
      const held = element.localName === "img" && name === "src" && /^data:image\/(?:png|jpeg|gif|webp);base64,/.test(value);
      if (!web && !held) found.push(`${element.localName} ${name}=${value}`);
    }
  }
  if (page.head.childElementCount > 0) found.push("something in the head");
  return found;
}

const html = (source: string) => readMarkdown(source).map((block) => block.html).join("");

test("the corpus is as big as it should be", () => {
  expect(hostileTexts.length).toBeGreaterThan(400);
  expect(dangers("<a href=javascript:x onclick=y>z</a><script>1</script>")).toHaveLength(3);
});

test("no hostile text comes to anything", () => {
  for (const source of hostileTexts) expect(dangers(html(source)), source).toEqual([]);
});

test("nor does one that comes in pieces", () => {
  for (const [index, source] of hostileTexts.entries()) {
    const stream = new MarkdownStream();
    // Split at different places in each text.
    const piece = Math.ceil(source.length / 3) + (index % 5);
    for (let end = 1 + (index % 7); end < source.length; end += piece) {
      stream.update(source.slice(0, end), false);
      expect(stream.blocks.flatMap((block) => dangers(block.html)), source.slice(0, end)).toEqual([]);
    }
  }
});

test("markup that is put straight through the sanitiser comes to nothing and stays as it is", () => {
  for (const source of hostileTexts) {
    const safe = sanitize(source);
    expect(dangers(safe), source).toEqual([]);
    expect(sanitize(safe), source).toBe(safe);
  }
});

describe("what is long or deep is read, and to its end", () => {
  test.each(Object.entries(longTexts))("%s", (_, make) => {
    const source = `${make()}\n\nthe end`;
    const blocks = readMarkdown(source);
    expect(blocks.at(-1)?.html).toContain("the end");
    for (const block of blocks.slice(0, 20)) expect(dangers(block.html)).toEqual([]);
  });
});

test("formulas neither lead nor load anywhere", async () => {
  expect(html("$\\href{javascript:alert(1)}{x}$")).toBe('<p><code class="formula">\\href{javascript:alert(1)}{x}</code></p>\n');
  await loadMath();
  const drawn = html("$\\href{javascript:alert(1)}{x}$ and $\\frac{a}{b}$");
  expect(dangers(drawn)).toEqual([]);
  expect(drawn).not.toMatch(/<a\b|javascript/);
  expect(drawn).toContain("<mfrac>");
  expect(drawn).not.toContain("annotation");
});

describe("drawings", () => {
  test.each([
    "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script><text>x</text></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><image href='https://evil.example/x.png'/><text>x</text></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><use href='https://evil.example/x.svg#y'/><text>x</text></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><style>@import url(https://evil.example/x);</style><text>x</text></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><rect fill='url(https://evil.example/x)'/><text style='background:url(//evil.example)'>x</text></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><foreignObject><div xmlns='http://www.w3.org/1999/xhtml'><img src='x' onerror='alert(1)'/></div></foreignObject><text>x</text></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><set attributeName='href' to='javascript:alert(1)'/><text>x</text></svg>",
  ])("%s", (source) => {
    const safe = sanitizeDrawing(source) ?? "";
    expect(safe).not.toMatch(/script|evil|onload|onerror|href|foreignObject|@import/i);
    expect(safe).toContain("x</text>");
    expect(new DOMParser().parseFromString(safe, "image/svg+xml").querySelector("parsererror")).toBeNull();
  });

  test("keep what they refer to in themselves", () => {
    const safe = sanitizeDrawing("<svg xmlns='http://www.w3.org/2000/svg'><defs><marker id='m'><path d='M0 0'/></marker></defs><path d='M0 0L1 1' marker-end='url(#m)'/></svg>");
    expect(safe).toContain("url(#m)");
    expect(sanitizeDrawing("no drawing")).toBeNull();
  });

  test.each([
    ["A[\"<img src=x onerror=alert(1)>\"]", "A[\"‹img src=x onerror=alert(1)>\"]"],
    ["A: &lt;img&#60;x#lt;y#60;z&#x3c;", "A: ‹img‹x‹y‹z‹"],
    ["class A{\n<<interface>>\n}\nA <|-- B\nA <--> B : a<br/>b", "class A{\n<<interface>>\n}\nA <|-- B\nA <--> B : a<br/>b"],
    ["sequenceDiagram\n  A->>B: x\n  link A: y @ javascript:z", "sequenceDiagram\n  A->>B: x\n"],
    ["<<img src=x>>", "<‹img src=x>>"],
    ["<!-- x --></style><?php", "‹!-- x -->‹/style>‹?php"],
  ])("the markup goes out of %j", (source, plain) => expect(withoutMarkup(source)).toBe(plain));

  test("the diagrams of the corpus are code until the user looks at them", () => {
    for (const source of hostileDiagrams) expect(readMarkdown(`\`\`\`mermaid\n${source}\n\`\`\``)).toMatchObject([{ kind: "code", lang: "mermaid", text: source }]);
  });
});
