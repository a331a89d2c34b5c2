// The fast answers equal jsdom's.

import { afterEach, expect, test } from "vitest";
import { jsdomStyle } from "./page";

afterEach(() => {
  document.body.innerHTML = "";
  for (const sheet of document.querySelectorAll("head style")) sheet.remove();
});

const asked = (style: CSSStyleDeclaration) => [style.display, style.visibility, style.pointerEvents || "auto", style.getPropertyValue("display"), style.opacity, style.getPropertyValue("color")];

test.each([
  "<p>a</p><span>b</span><button>c</button><input><input type=hidden><input type=text><textarea></textarea>",
  "<ul><li>a</li></ul><table><tbody><tr><td>a</td></tr></tbody></table><svg><g><path></path></g></svg><template></template>",
  "<table><tbody><tr hidden><td>a</td></tr><tr><td>b</td></tr></tbody></table><div popover>c</div>",
  "<details><summary>a</summary><p>b</p></details><details open><summary>a</summary><p>b</p></details><dialog>a</dialog><dialog open>b</dialog>",
  "<div hidden><p>a</p></div><div hidden=until-found>b</div><h1>c</h1><label>d</label><select><option>e</option></select><output>f</output>",
  '<div style="display: none"><p>a</p></div><p style="display: flex; opacity: 0.5">b</p><p style="color: red">c</p>',
  '<div style="visibility: hidden"><p>a<b style="visibility: visible">b</b></p></div><div style="pointer-events: none">c</div>',
])("%s", (html) => {
  document.body.innerHTML = html;
  for (const element of document.body.querySelectorAll("*")) expect(asked(getComputedStyle(element)), element.outerHTML).toEqual(asked(jsdomStyle(element)));
});

test("an element that changes is asked anew", () => {
  document.body.innerHTML = "<p>a</p>";
  const element = document.body.querySelector("p") as HTMLElement;
  expect(getComputedStyle(element).display).toBe("block");
  element.hidden = true;
  expect(getComputedStyle(element).display).toBe("none");
  element.hidden = false;
  element.style.display = "none";
  expect(getComputedStyle(element).display).toBe("none");
});

test("a page that has styles is jsdom's", () => {
  document.head.insertAdjacentHTML("beforeend", "<style>p { display: grid; visibility: hidden }</style>");
  document.body.innerHTML = "<p>a</p>";
  const element = document.body.querySelector("p") as HTMLElement;
  expect(asked(getComputedStyle(element)).slice(0, 2)).toEqual(["grid", "hidden"]);
});
