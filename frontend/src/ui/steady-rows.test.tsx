import { createSignal, For } from "solid-js";
import { render } from "solid-js/web";
import { afterEach, expect, test } from "vitest";
import { SteadyRow, SteadyRows } from "./steady-rows";

let end = () => {};
afterEach(() => end());

/** A list of these rows, and what was removed from the page. */
function list(first: string[]) {
  const [rows, setRows] = createSignal(first);
  const [top, setTop] = createSignal(1);
  let element: HTMLElement | undefined;
  const host = document.createElement("div");
  document.body.append(host);
  const stop = render(
    () => (
      <SteadyRows ref={(el) => (element = el)} style={{ top: `${top()}px` }}>
        <For each={rows()}>{(row) => <p>{row}</p>}</For>
      </SteadyRows>
    ),
    host,
  );
  end = () => {
    stop();
    host.remove();
  };
  const observer = new MutationObserver(() => {});
  observer.observe(host, { childList: true, subtree: true });
  return {
    setRows,
    setTop,
    element: () => element as HTMLElement,
    taken: () => observer.takeRecords().flatMap(({ removedNodes }) => [...removedNodes].map((node) => node.textContent)),
    shown: () => [...host.querySelectorAll("p")].map((row) => row.textContent),
  };
}

test.each([
  ["one further up, where few stay", ["1", "2"], ["0", "1"], ["2"]],
  ["further down", ["0", "1", "2"], ["1", "2", "3"], ["0"]],
  ["one that stays between others", ["0", "5", "9"], ["3", "5", "6"], ["0", "9"]],
  ["others altogether", ["0", "1"], ["7", "8"], ["0", "1"]],
  ["fewer", ["0", "1", "2"], ["1"], ["0", "2"]],
  ["more on both sides", ["4"], ["2", "3", "4", "5"], []],
  ["none", ["0", "1"], [], ["0", "1"]],
  ["in another order", ["0", "1", "2"], ["2", "0", "1"], ["2"]],
])("%s: what stays is not touched", (_, before, after, taken) => {
  const l = list(before);
  l.setRows(after);
  expect(l.shown()).toEqual(after);
  expect(l.taken()).toEqual(taken);
});

test("it has the style that it is given, also later", () => {
  const l = list(["0"]);
  expect(l.element().style.top).toBe("1px");
  l.setTop(2);
  expect(l.element().style.top).toBe("2px");
});

test("the pointer reaches the rows while the list is scrolled", () => {
  const host = document.createElement("div");
  end = render(() => <SteadyRows style={{ height: "9px", "pointer-events": "none" }} />, host);
  const element = host.firstElementChild as HTMLElement;
  expect(element.style.height).toBe("9px");
  expect(element.style.pointerEvents).toBe("");
});

test("a row that is not measured is not to be seen, and what is in it inherits nothing of that", () => {
  const [hidden, setHidden] = createSignal(true);
  const host = document.createElement("div");
  end = render(
    () => (
      <SteadyRow style={{ top: "7px", visibility: hidden() ? "hidden" : undefined }}>
        <p>text</p>
      </SteadyRow>
    ),
    host,
  );
  const row = host.firstElementChild as HTMLElement;
  const look = () => [row.textContent, row.style.top, row.style.visibility, row.style.opacity];
  expect(look()).toEqual(["text", "7px", "", "0"]);
  setHidden(false);
  expect(look()).toEqual(["text", "7px", "", ""]);
});
