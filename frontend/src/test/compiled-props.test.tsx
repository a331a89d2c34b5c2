// How components receive their props (compile-props.ts): this file is compiled that way itself.

import Check from "lucide-solid/icons/check";
import X from "lucide-solid/icons/x";
import { createSignal, type JSX, Show } from "solid-js";
import { render } from "solid-js/web";
import { afterEach, expect, test } from "vitest";
import { Button } from "../ui/button";

let end = () => {};
afterEach(() => end());

function draw(view: () => JSX.Element): HTMLElement {
  const host = document.createElement("div");
  end = render(view, host);
  return host;
}

interface Given {
  name: string;
  size?: number;
  "aria-label"?: string;
  ref?: (element: HTMLElement) => void;
  children?: JSX.Element;
}

let given: Given | undefined;
function Reader(props: Given): JSX.Element {
  given = props;
  return (
    <p ref={(element) => props.ref?.(element)} aria-label={props["aria-label"]}>
      {props.name} {props.size} {props.children}
    </p>
  );
}

const getters = (object: object | undefined) => Reflect.ownKeys(object ?? {}).filter((key) => Reflect.getOwnPropertyDescriptor(object ?? {}, key)?.get);

test("a component that reads by name: no getters of its own, and all that changes is seen", () => {
  const [name, setName] = createSignal("one");
  const [label, setLabel] = createSignal("first");
  let element: HTMLElement | undefined;
  const host = draw(() => (
    <Reader name={name()} size={3} aria-label={label()} ref={(el) => (element = el)}>
      <b>{name()}</b>
    </Reader>
  ));
  expect(getters(given)).toEqual([]);
  expect(given && ["name" in given, "other" in given]).toEqual([true, false]);
  expect(host.textContent).toBe("one 3 one");
  expect(element?.getAttribute("aria-label")).toBe("first");
  setName("two");
  setLabel("second");
  expect(host.textContent).toBe("two 3 two");
  expect(element?.getAttribute("aria-label")).toBe("second");
});

test("two with the same props have each its own", () => {
  const [one, setOne] = createSignal("1");
  const [two, setTwo] = createSignal("2");
  const host = draw(() => [<Reader name={one()} />, <Reader name={two()} />]);
  setTwo("b");
  setOne("a");
  expect(host.textContent?.replace(/\s/g, "")).toBe("ab");
});

test("a component that looks at which props there are finds them", () => {
  const [title, setTitle] = createSignal("one");
  const [off, setOff] = createSignal(false);
  const host = draw(() => (
    <Button title={title()} disabled={off()} variant={off() ? "ghost" : "primary"}>
      {title()}
    </Button>
  ));
  const button = host.querySelector("button");
  const look = () => [button?.title, button?.disabled, button?.dataset["variant"], button?.textContent];
  expect(look()).toEqual(["one", false, "primary", "one"]);
  setTitle("two");
  setOff(true);
  expect(look()).toEqual(["two", true, "ghost", "two"]);
});

test.each([Check, X])("so does one that a variable holds", (given) => {
  const [size, setSize] = createSignal(12);
  const Icon = given;
  const host = draw(() => <Icon size={size()} />);
  expect(host.querySelector("svg")?.getAttribute("width")).toBe("12");
  setSize(16);
  expect(host.querySelector("svg")?.getAttribute("width")).toBe("16");
});

test("what is shown by a condition comes and goes", () => {
  const [name, setName] = createSignal<string | undefined>("one");
  const host = draw(() => (
    <Show when={name()} fallback={<i>none</i>}>
      {(shown) => <Reader name={shown()} />}
    </Show>
  ));
  expect(host.querySelector("p")?.textContent).toContain("one");
  setName("two");
  expect(host.querySelector("p")?.textContent).toContain("two");
  setName(undefined);
  expect(host.textContent).toBe("none");
});
