import { cleanup, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { Marked } from "marked";
import { createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { assistant, session, user } from "../../../gallery/fixtures";
import type { History, Message } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { HostError } from "../../host/host";
import { hostileNames, hostileTexts } from "../../ui/markdown/hostile";
import { renderApp } from "../../test/render";
import { mostMessages, readAll, TooLong } from "./collect";
import { ExportDialog } from "./ExportDialog";
import { toBody, toDocument } from "./html";
import { harmless, toMarkdown } from "./markdown";
import { entriesOf, headOf, type Options } from "./parts";

const full: Options = { tools: "full", thinking: true };
const head = { title: "Fix the <upload>", folder: "/home/ada/`odd` folder", at: Date.UTC(2026, 0, 2) };
const conversation = (): Message[] => [
  user("u1", "Why does `it` fail?\n\n* not a list"),
  assistant("a1", [
    { id: "t", type: "thinking", text: "Let me see." },
    { id: "x", type: "text", text: "Because **this**.\n\n```go\nfunc main() {}\n```" },
    {
      id: "b", type: "tool",
      tool: { toolUseId: "t1", name: "Bash", state: "done", startedAt: 1, input: { command: "cat a.md" }, content: [{ type: "text", text: "```\nfence\n````\n<b>" }] },
    },
  ]),
  assistant("a2", [{ id: "s", type: "text", text: "Below." }], { parentToolUseId: "t1" }),
  { id: "n", role: "notice", at: 3, blocks: [], notice: { kind: "error", text: "It stopped.", hint: "Try again." } },
];

/** Finds anything dangerous in an exported HTML file. */
function dangers(html: string): string[] {
  const page = new DOMParser().parseFromString(html, "text/html");
  const found = [...page.querySelectorAll("script, iframe, object, embed, form, link, base, svg, meta[http-equiv=refresh], body style, input:not([type=checkbox])")].map((e) => e.localName);
  for (const element of page.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) found.push(name);
      if (!["href", "src", "action", "srcdoc", "xlink:href", "style"].includes(name)) continue;
      const plain = value.replaceAll(/[^!-~]|\\/g, "");
      const scheme = /^([^/?#]*?):/.exec(plain)?.[1]?.toLowerCase();
      const picture = element.localName === "img" && /^data:image\/(?:png|jpeg|gif|webp);/.test(plain);
      if (name === "style" || (scheme !== undefined && !["http", "https", "mailto"].includes(scheme) && !picture)) found.push(`${name}=${value}`);
    }
  }
  return found;
}

test("Markdown says who said what, with fences that nothing closes", () => {
  const made = toMarkdown(head, entriesOf(conversation(), "/w", full));
  expect(made).toContain("# Fix the \\<upload>\n");
  expect(made).toContain("Folder: `` /home/ada/`odd` folder ``");
  expect(made).toMatch(/## You, .*\n\nWhy does `it` fail\?/);
  expect(made).toContain("> Thinking: Let me see.");
  expect(made).toContain("`````\n```\nfence\n````\n<b>\n`````");
  expect(made).toMatch(/### Subagent, /);
  expect(made).toContain("It stopped.\n\nTry again.");
});

test("options leave out what nobody asked for", () => {
  const made = toMarkdown(head, entriesOf(conversation(), "/w", { tools: "none", thinking: false }));
  expect(made).not.toMatch(/Thinking|cat a\.md|fence/);
  expect(toMarkdown(head, entriesOf(conversation(), "/w", { tools: "line", thinking: false }))).toMatch(/- `.*cat a\.md.*`\n/);
});

test("the web page holds everything and needs nothing", () => {
  const made = toDocument(head, entriesOf(conversation(), "/w", full));
  expect(made).toMatch(/^<!doctype html>\n<html lang="en(?:-US)?" dir="ltr">/);
  expect(made).toContain("default-src 'none'");
  expect(dangers(made)).toEqual([]);
  const page = new DOMParser().parseFromString(made, "text/html");
  expect(page.title).toBe("Fix the <upload>");
  expect([...page.querySelectorAll("article h2")].map((h) => h.firstChild?.textContent?.trim())).toEqual(["You", "Claude", "Subagent", "Note"]);
  // User text is shown verbatim.
  expect(page.querySelector("article p.typed")?.textContent).toBe("Why does `it` fail?\n\n* not a list");
  expect(page.querySelector("article strong")?.textContent).toBe("this");
  expect(page.querySelectorAll("details")).toHaveLength(2);
});

test("nothing hostile gets into a web page, wherever it stands", () => {
  for (const source of hostileTexts) {
    const messages = [
      user("u", source),
      assistant("a", [
        { id: "t", type: "thinking", text: source }, { id: "x", type: "text", text: source },
        { id: "b", type: "tool", tool: { toolUseId: "t", name: source, state: "done", startedAt: 1, input: { command: source }, content: [{ type: "text", text: source }] } },
      ]),
      { id: "n", role: "notice", at: 1, blocks: [], notice: { kind: "error", text: source } } satisfies Message,
    ];
    expect(dangers(toBody({ title: source, folder: source, at: 1 }, entriesOf(messages, "/", full))), source).toEqual([]);
  }
  for (const name of hostileNames) expect(dangers(toDocument({ title: name, folder: name, at: 1 }, [])), name).toEqual([]);
});

test("nothing hostile gets into Markdown, however freely it is read", () => {
  const free = new Marked({ gfm: true });
  expect(hostileTexts.filter((source) => dangers(free.parse(source, { async: false })).length > 0).length).toBeGreaterThan(100);
  const around = [
    (s: string) => s, (s: string) => `a \`\nb \` ${s} \``, (s: string) => `\`\` \` ${s} \``, (s: string) => `- \`\`\`\n  x\n\n${s}`, (s: string) => `> \`\`\`\n> x\n${s}`,
    (s: string) => `    code\n${s}`, (s: string) => `\\\` ${s} \``, (s: string) => `\`${s.slice(0, 9)}\`\n\n${s}`, (s: string) => `~~~ \`\n\n${s}`, (s: string) => `| a \` | b |\n|---|---|\n| ${s} | \` |`,
  ];
  for (const [i, source] of hostileTexts.entries()) {
    // Tool output is in fences, and titles are marked as code.
    for (const put of i % 8 === 0 && source.length < 200 ? around : around.slice(0, 1)) expect(dangers(free.parse(harmless(put(source)), { async: false })), put(source)).toEqual([]);
  }
});

test("Markdown keeps code as it is, and makes pictures from elsewhere links", () => {
  for (const source of ["a `<b>` c", "```html\n<p>\n```", "- x\n\n  ```html\n  <p>![a](https://x.example)</p>\n  ```", "> ```\n> <p>\n> ```", "    <p>\n", "``a ` <i>``", "a <https://ok.example> b", `![x](data:image/png;base64,iVBORw0KGgo=)`, "[a](src/b.ts) 1 < 2"]) {
    expect(harmless(source)).toBe(source);
  }
  for (const [source, want] of [
    ["<p>", "\\<p>"], ["a ![b](https://x.example/p.png)", "a \\![b](https://x.example/p.png)"], ["![b][1]\n\n[1]: https://x.example/p.png", "\\![b][1]\n\n[1]: https://x.example/p.png"],
    ["- [x]: javascript:a", "- [x]: #"], ["![a](data:image/svg+xml;base64,AAAA)", "\\![a](#)"],
  ] as const) {
    expect(harmless(source)).toBe(want);
  }
});

test("all pages are read once, the oldest first, and reading can be stopped", async () => {
  const pages: Record<string, Partial<History>> = {
    "": { messages: [user("m4", "d"), user("m5", "e")], hasMore: true, before: "c1" },
    c1: { messages: [user("m2", "b"), user("m3", "c"), user("m4", "d")], hasMore: true, before: "c2" },
    c2: { messages: [user("m1", "a")], hasMore: false },
  };
  const host = createFakeHost({ "session.history": ({ before = "" }) => ({ messages: [], total: 5, hasMore: false, before: "", seq: 0, ...pages[before] }) });
  const seen: number[] = [];
  const got = await readAll(host, "s", (done) => seen.push(done), new AbortController().signal);
  expect(got.map((m) => m.id)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  expect(seen).toEqual([2, 4, 5]);
  const stop = new AbortController();
  await expect(readAll(host, "s", () => stop.abort(), stop.signal)).rejects.toThrow("abort");
  expect(host.callsOf("session.history")).toHaveLength(5);
});

test("what has no end is given up", async () => {
  let n = 0;
  const host = createFakeHost({
    "session.history": () => ({ messages: Array.from({ length: 5000 }, () => user(`m${n++}`, "")), total: 0, hasMore: true, before: `c${n}`, seq: 0 }),
  });
  await expect(readAll(host, "s", () => {}, new AbortController().signal)).rejects.toThrow(TooLong);
  expect(n).toBe(mostMessages + 5000);
});

let host: FakeHost;
const show = async () => {
  const [open, setOpen] = createSignal(true);
  await renderApp(host, () => <ExportDialog session={session("s1", { title: "Fix it", messages: 4 })} open={open()} onOpenChange={setOpen} />);
};
beforeEach(() => {
  host = createFakeHost({
    "session.list": () => ({ sessions: [session("s1")], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: conversation(), total: 4, hasMore: false, before: "", seq: 0 }),
    "file.save": ({ name }) => ({ path: `/home/ada/${name}` }),
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test("in the window, the program saves the file", async () => {
  Object.defineProperty(host, "kind", { value: "window" });
  await show();
  await userEvent.click(screen.getByRole("radio", { name: /Web page/ }));
  await userEvent.click(screen.getByRole("button", { name: "Save…" }));
  expect(await screen.findByText("Saved to /home/ada/Fix it.html")).toBeInTheDocument();
  expect(host.callsOf("file.save")[0]?.content).toMatch(/^<!doctype html>/);
});

test("in a browser, the browser does", async () => {
  const made = vi.fn((_: Blob) => "blob:x");
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: made, revokeObjectURL: () => {} }));
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    expect(this.download).toBe("Fix it.json");
  });
  await show();
  await userEvent.click(screen.getByRole("radio", { name: /JSON/ }));
  await userEvent.click(screen.getByRole("button", { name: "Save…" }));
  await vi.waitFor(() => expect(clicked).toHaveBeenCalledOnce());
  expect(made.mock.calls[0]?.[0].type).toBe("application/json");
});

test("a failure is shown, and the next try can go well", async () => {
  let fails = true;
  host.on("session.history", () => {
    if (fails) throw new HostError("not_found", "There is no such session.");
    return { messages: conversation(), total: 4, hasMore: false, before: "", seq: 0 };
  });
  await show();
  const person = userEvent.setup();
  await person.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("There is no such session.");
  fails = false;
  await person.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByText("Copied")).toBeInTheDocument();
  expect(await navigator.clipboard.readText()).toContain("# Fix it");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("on paper nothing is folded, and the page is as before afterwards", async () => {
  await show();
  const print = vi.fn(() => {
    const root = document.querySelector('[data-component="print"]');
    expect(root?.querySelectorAll("details:not([open])")).toHaveLength(0);
    expect(root?.querySelectorAll("article").length).toBeGreaterThan(2);
  });
  vi.stubGlobal("print", print);
  await userEvent.click(screen.getByRole("button", { name: "Print…" }));
  await vi.waitFor(() => expect(print).toHaveBeenCalledOnce());
  dispatchEvent(new Event("afterprint"));
  expect(document.querySelector('[data-component="print"]')).toBeNull();
  expect(headOf({ title: "", cwd: "/" }).title).toBe("Conversation");
});
