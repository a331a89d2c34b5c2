import { describe, expect, test } from "vitest";
import { safeHref } from "../../lib/links";
import { sanitize } from "./sanitize";
import { readMarkdown } from "./stream";

const MARKUP = [
  "<script>alert(1)</script>",
  "<ScRiPt src=//evil.example/x.js></sCrIpT>",
  "<img src=x onerror=alert(1)>",
  "<img src=\"https://evil.example/pixel.png\">",
  "<img src='data:image/svg+xml;base64,PHN2Zy8+'>",
  "<img src='data:text/html,<script>alert(1)</script>'>",
  "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>x</a></svg>",
  "<svg><style><img src=x onerror=alert(1)></style></svg>",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
  "<iframe src=javascript:alert(1)></iframe>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data=javascript:alert(1)></object><embed src=x>",
  "<form action=javascript:alert(1)><input name=x><button formaction=javascript:alert(1)>go</button></form>",
  "<a href=javascript:alert(1)>x</a>",
  "<a href=' \u0001javascript:alert(1)'>x</a>",
  "<a href='java\tscript:alert(1)'>x</a>",
  "<a href='java&#10;script:alert(1)'>x</a>",
  "<a href='&#x6A;&#x61;vascript:alert(1)'>x</a>",
  "<a href='JaVaScRiPt:alert(1)'>x</a>",
  "<a href='javascript&colon;alert(1)'>x</a>",
  "<a href='vbscript:msgbox(1)'>x</a>",
  "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
  "<a href='file:///etc/passwd'>x</a>",
  "<a href='//evil.example'>x</a>",
  "<a href='https://ok.example' onclick=alert(1) style='position:fixed' ping='//evil.example'>x</a>",
  "<p style='background:url(//evil.example)'>x</p>",
  "<div id=x name=y data-x=1 class=shell>x</div>",
  "<base href=//evil.example><link rel=stylesheet href=//evil.example><meta http-equiv=refresh content=0>",
  "<template><script>alert(1)</script></template><noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
  "<details open ontoggle=alert(1)><summary>x</summary></details>",
  "<video><source onerror=alert(1)></video><audio src=x onerror=alert(1)>",
  "<<script>script>alert(1)<</script>/script>",
  "<style>*{background:url(//evil.example)}</style>",
  "<x-custom onclick=alert(1)>x</x-custom>",
  "<!--><img src=x onerror=alert(1)>-->",
  "<a href=\"jav&#x0A;ascript:alert(1);\">x</a>",
  "<a href='\u2028javascript:alert(1)'>x</a>",
];

const MARKDOWN = [
  "[x](javascript:alert(1))",
  "[x](JAVASCRIPT:alert(1))",
  "[x](<java\tscript:alert(1)>)",
  "[x](&#106;avascript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](vbscript:x)",
  "[x]( javascript:alert(1) )",
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  "![x](javascript:alert(1))",
  "![x](https://evil.example/pixel.png)",
  "![x](data:image/svg+xml;base64,PHN2Zy8+)",
  "![\" onerror=\"alert(1)](data:image/png;base64,AAAA)",
  "[x](https://ok.example/\"onmouseover=\"alert(1))",
  "[x](https://ok.example 't\" onmouseover=\"alert(1)')",
  "[<img src=x onerror=alert(1)>](https://ok.example)",
  "```\"><img src=x onerror=alert(1)>\ncode\n```",
  "- ```\"><script>alert(1)</script>\n  code\n  ```",
  "`<img src=x onerror=alert(1)>`",
  "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
  "# <iframe src=x>",
];

const ELEMENTS = new Set(
  "A BLOCKQUOTE BR CODE DEL DIV EM H3 H4 H5 H6 HR IMG KBD LI OL P PRE SPAN STRONG SUB SUP TABLE TBODY TD TH THEAD TR UL".split(" "),
);
const MATH = new Set(
  "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover".split(" "),
);
const VALUES: Record<string, RegExp> = {
  href: /^(?:https?:\/\/|mailto:)/,
  src: /^data:image\/(?:png|jpeg|gif|webp);base64,/,
};
const ATTRIBUTES = new Set(["href", "title", "rel", "target", "src", "alt", "class", "align", "start"]);

/** Everything in the markup that is not allowed. */
function violations(html: string): string[] {
  const page = document.createElement("div");
  page.innerHTML = html;
  const found: string[] = [];
  for (const element of page.querySelectorAll("*")) {
    const math = element.namespaceURI === "http://www.w3.org/1998/Math/MathML" && MATH.has(element.nodeName);
    if (!math && !ELEMENTS.has(element.nodeName)) found.push(element.nodeName);
    for (const { name, value } of element.attributes) {
      const wanted = VALUES[name];
      if (math && /^[\w\s.%+-]*$/.test(value) && !/^(?:on|href|style|class|id|src|action)/.test(name)) continue;
      if (!ATTRIBUTES.has(name) || (wanted && !wanted.test(value))) found.push(`${name}=${value}`);
    }
    if (element.nodeName === "A" && element.getAttribute("rel") !== "noopener noreferrer") found.push("rel");
  }
  // Parsing the markup again must not change it.
  if (sanitize(page.innerHTML) !== page.innerHTML) found.push("unstable");
  return found;
}

test("the check finds what it looks for", () => {
  expect(violations("<a href='javascript:x' onclick=x>y</a><script>1</script>")).toEqual([
    "href=javascript:x", "onclick=x", "rel", "SCRIPT", "unstable",
  ]);
});

describe("hostile markup", () => {
  test.each(MARKUP)("%s", (markup) => expect(violations(sanitize(markup))).toEqual([]));

  test.each(MARKUP)("inside Markdown: %s", (markup) => {
    for (const source of [markup, `- ${markup}`, `> ${markup}`, `a ${markup} b`, `<p>${markup}`, `**${markup}`]) {
      expect(readMarkdown(source).flatMap((block) => violations(block.html))).toEqual([]);
    }
  });

  test.each(MARKDOWN)("%s", (source) => {
    expect(readMarkdown(source).flatMap((block) => violations(block.html))).toEqual([]);
  });
});

describe("markup that need not be cleaned comes out as if it had been", () => {
  // An element outside the fast path makes the library parse everything.
  const cleaned = (html: string) => sanitize(`<span></span>${html}`).slice("<span></span>".length);

  test.each([
    "<p>One <strong>two <em>three</em></strong> <code>a &lt; b &amp;&amp; c</code><br>four</p>\n",
    "<h3>A</h3>\n<ul>\n<li>b</li>\n<li><p>c</p><ol>\n<li>d</li>\n</ol></li>\n</ul>\n<hr>\n",
    "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody><tr>\n<td>b</td>\n</tr>\n</tbody></table>\n",
    "<blockquote>\n<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n</blockquote>\n",
    "<p>open", "a</p>", "<em><strong>a</em></strong>", "<kbd>a</kbd></sub>", "a</br>b", "<hr></hr>",
    "<P>a</P>", "<p >a</p>", "<p\n>a</p>", "<p/>a", "<p onclick=a>b</p>", "<!-- a --><p>b</p>", "<p>a<!b></p>", "<?a?><p>b</p>", "<p>a</p><", "<p>a</p>< p>b</p>",
    "<p>a</p><script>b</script>", "<p><svg><p>a</p></svg></p>", "<pre><code>a</code></pre>", "<p>\0a</p>",
    ...[
      "https://example.org/a/b?c=d#e", "https://example.org/", "http://127.0.0.1:8080/x%20y", "https://user@example.org/~a/*(b);c,d!+e=f",
      "https://example.org", "HTTPS://example.org/", "https://EXAMPLE.org/", "https://example.org/a&amp;b", "https://example.org/\u00e4", "https://example.org/a b",
      "https://example.org/../a", "https://", "https:///a", "javascript:alert(1)", "data:text/html,a", "//example.org/", "/a", "https://example.org/&quot;onclick=a",
    ].flatMap((to) => [`<p>One <a href="${to}" title="${to}">two <em>three</em></a> four</p>\n`, `<a href="${to}">a</a>`, `<a href="${to}" title="another">a</a>`]),
    '<a href="https://a.org/" title="https://a.org/">a', '<a href="https://a.org/" title="https://a.org/"><em>a</a></em>', "<a>a</a>", "<p><a>a</a></p>",
    '<a href="https://a.org/" title="https://a.org/">a<a href="https://b.org/" title="https://b.org/">b</a></a>', '<a href="https://a.org/" title="https://a.org/">a<a>b</a></a>',
    '<a href="https://a.org/" title="https://a.org/" onclick="a">a</a>', '<a  href="https://a.org/" title="https://a.org/">a</a>', "<a href='https://a.org/' title='https://a.org/'>a</a>",
    '<p>&lt;a href="https://a.org/" title="https://a.org/"&gt;a</p>', '<code>a</code> <a href="https://a.org/" title="https://a.org/"><script>b</script></a>',
  ])("%s", (html) => expect(sanitize(html)).toBe(cleaned(html)));
});

describe("what is not allowed is shown, not lost", () => {
  const text = (source: string) => {
    const page = document.createElement("div");
    page.innerHTML = readMarkdown(source).map((b) => b.html).join("");
    return page.textContent?.trim();
  };

  test.each([
    ["Use <Button onClick={go}> here", "Use <Button onClick={go}> here"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["[run](javascript:alert(1))", "run javascript:alert(1)"],
    ["[main.go](src/main.go)", "main.go src/main.go"],
    ["![a cat](https://cats.example/1.png)", "a cat"],
    ["`rm \u202e-rf`", "rm ⟨U+202E⟩-rf"],
  ])("%s", (source, shown) => expect(text(source)).toBe(shown));

  test("a remote image becomes a link", () => {
    const html = readMarkdown("![a cat](https://cats.example/1.png)")[0]?.html;
    expect(html).toContain('href="https://cats.example/1.png"');
    expect(html).not.toContain("<img");
  });

  test("an image held in the text is drawn", () => {
    expect(readMarkdown("![dot](data:image/png;base64,iVBORw0KGgo=)")[0]?.html).toContain(
      '<img src="data:image/png;base64,iVBORw0KGgo=" alt="dot">',
    );
  });
});

describe("safeHref", () => {
  test.each([
    ["https://example.org/a?b#c", "https://example.org/a?b#c"],
    ["HTTP://Example.ORG", "http://example.org/"],
    ["mailto:a@example.org", "mailto:a@example.org"],
    [" https://example.org ", "https://example.org/"],
    ["https://еxample.org", "https://xn--xample-2of.org/"],
  ])("%s", (url, safe) => expect(safeHref(url)).toBe(safe));

  test.each([
    "javascript:alert(1)", "java\nscript:alert(1)", "\u0000javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
    "vbscript:x", "blob:https://x", "//evil.example", "/path", "path", "#x", "", "https://", "https://exa mple.org",
    "https://example.org/\u202egpj.exe", "ftp://x.org", "about:blank", "wails://wails/", "intent://x#Intent;end",
  ])("refuses %j", (url) => expect(safeHref(url)).toBeNull());
});
