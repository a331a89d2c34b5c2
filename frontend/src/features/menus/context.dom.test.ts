import { afterEach, expect, it } from "vitest";
import { offer } from "../../lib/offers";
import { dropUrl, makeUrl } from "../../lib/object-url";
import { contextAt } from "./context";

afterEach(() => {
  getSelection()?.removeAllRanges();
  document.body.replaceChildren();
});

function page(html: string): (selector: string) => Element {
  document.body.innerHTML = html;
  return (selector) => document.querySelector(selector) as Element;
}

const at = (target: Element, undoes = false) => contextAt(target, () => undoes);
const ids = (target: Element) => at(target).groups.map((group) => group.map(({ id }) => id).join(" "));
const enabled = (target: Element, undoes = false) => at(target, undoes).groups.flat().filter(({ enabled, label }) => enabled && label !== "").map(({ id }) => id);
const copied = (target: Element, id: string) => {
  const act = at(target).acts.get(id);
  return act?.kind === "copy" ? act.text() : act;
};

const spelling = ["ignoreSpelling", "learnSpelling"];

it.each<[string, string, (field: HTMLInputElement) => void, string[]]>([
  ["an empty one", "<textarea></textarea>", () => {}, ["paste"]],
  ["one with text", "<textarea>abc</textarea>", (f) => f.setSelectionRange(1, 1), ["paste", "selectAll"]],
  ["a selection", "<textarea>abc</textarea>", (f) => f.setSelectionRange(0, 1), ["cut", "copy", "paste", "selectAll"]],
  ["all selected", "<textarea>abc</textarea>", (f) => f.select(), ["cut", "copy", "paste"]],
  ["one that cannot be changed", "<textarea readonly>abc</textarea>", (f) => f.setSelectionRange(0, 1), ["copy", "selectAll"]],
  ["a password", '<input type="password" value="abc">', (f) => f.setSelectionRange(0, 1), ["paste", "selectAll"]],
  ["a number, which does not say", '<input type="number" value="3">', () => {}, ["cut", "copy", "paste", "selectAll"]],
])("in a text field offers what does something: %s", (_what, html, select, want) => {
  const field = page(html)("input, textarea") as HTMLInputElement;
  select(field);
  expect(enabled(field).filter((id) => !spelling.includes(id))).toEqual(want);
  expect(ids(field)).toEqual(["spelling ignoreSpelling learnSpelling", "undo redo", "cut copy paste", "selectAll"]);
});

it("offers to undo what can be undone, where something can be changed", () => {
  expect(enabled(page("<textarea></textarea>")("textarea"), true)).toContain("undo");
  expect(enabled(page("<textarea readonly></textarea>")("textarea"), true)).not.toContain("undo");
});

it.each(["button", "checkbox", "range", "file"])("takes a %s for no text field", (type) => {
  expect(ids(page(`<input type="${type}">`)("input"))).toEqual([]);
});

it.each([
  ["https://example.com/a?b=1", "https://example.com/a?b=1", "Open in browser", "Copy link"],
  ["mailto:a%40b@example.org?subject=x", "a@b@example.org", "Write email", "Copy email address"],
])("offers a link: %s", (href, text, open, copy) => {
  const link = page(`<p><a href="${href}"><b>words</b></a></p>`)("b");
  expect(at(link).groups.flat().map(({ label }) => label)).toEqual([open, copy]);
  expect(copied(link, "copyLink")).toBe(text);
});

it.each(["javascript:alert(1)", "file:///etc/passwd", "wails://wails/x", "#note"])("offers nothing for %s", (href) => {
  const link = page('<a href="">words</a>')("a");
  link.setAttribute("href", href);
  expect(ids(link)).toEqual([]);
});

it("copies code as it is, not as it is shown", () => {
  const part = page('<figure><figcaption>go</figcaption><pre>shown</pre></figure>');
  offer(part("figure"), { code: () => "a\u200bb" });
  expect(copied(part("figcaption"), "copyCode")).toBe("a\u200bb");
});

it("copies code of which nobody knows more than what is shown", () => {
  expect(copied(page("<p>Run <code>npm test</code></p>")("code"), "copyCode")).toBe("npm test");
  expect(ids(page("<pre> </pre>")("pre"))).toEqual([]);
});

it("offers a message as Markdown, once there is something in it", () => {
  const part = page("<article><p>Hello <a href='https://example.com/'>you</a></p></article>");
  let words: string | undefined;
  offer(part("article"), { message: () => words });
  expect(ids(part("p"))).toEqual([]);
  words = "Hello [you](https://example.com/)";
  expect(ids(part("a"))).toEqual(["openLink copyLink", "copyMessage"]);
  expect(copied(part("p"), "copyMessage")).toBe(words);
});

it("offers a picture that is held in memory", () => {
  const src = makeUrl(new Blob(["<svg/>"], { type: "image/svg+xml" }));
  const part = page("<button><img></button>");
  offer(part("button"), { picture: () => ({ src, name: "diagram.svg" }) });
  expect(ids(part("img"))).toEqual(["copyImage saveImage"]);
  expect(at(part("img")).acts.get("saveImage")).toMatchObject({ kind: "save", name: "diagram.svg" });
  dropUrl(src);
  expect(ids(part("img"))).toEqual([]);
});

it("offers what is selected before all else", () => {
  const text = page("<p>words <a href='https://example.com/'>link</a></p>");
  getSelection()?.selectAllChildren(text("p"));
  expect(ids(text("a"))).toEqual(["copy", "openLink copyLink"]);
});

it("offers nothing where there is nothing", () => {
  expect(ids(page("<main><p>words</p></main>")("p"))).toEqual([]);
});
