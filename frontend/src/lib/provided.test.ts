import { createMemo, createRoot, createSignal, mergeProps, splitProps } from "solid-js";
import { expect, test } from "vitest";
import { provided } from "./provided";

/** Props as compiled: lazy ones are functions. */
function props() {
  const [name, setName] = createSignal("one");
  const target = { name, size: 3, ref: () => "ref" };
  return { props: new Proxy<Record<PropertyKey, unknown>>(target, provided(["name"])) as unknown as { name: string; size: number; ref: () => string }, target, setName };
}

test("what is lazy is worked out when it is read, everything else is what it is", () => {
  const { props: p, setName } = props();
  expect([p.name, p.size, p.ref()]).toEqual(["one", 3, "ref"]);
  setName("two");
  expect(p.name).toBe("two");
});

test("the names can be listed, and none is there that was not given", () => {
  const { props: p } = props();
  expect(Object.keys(p)).toEqual(["name", "size", "ref"]);
  expect(["name" in p, "other" in p, (p as Record<string, unknown>)["other"]]).toEqual([true, false, undefined]);
  expect({ ...p }).toMatchObject({ name: "one", size: 3 });
  expect(Object.getOwnPropertyDescriptor(p, "other")).toBeUndefined();
});

test("nothing in it is a getter, which browsers would keep", () => {
  const { target } = props();
  expect(Object.values(Object.getOwnPropertyDescriptors(target)).filter(({ get }) => get)).toEqual([]);
});

test.each([
  ["merged with others", (p: { name: string }) => mergeProps({ size: 1, more: true }, p)],
  ["the part of it that is wanted", (p: { name: string }) => splitProps(p, ["name"])[0]],
  ["the rest of it", (p: { name: string; size: number }) => splitProps(p, ["size"])[1]],
])("%s: is still reactive", (_, derive) => {
  createRoot((dispose) => {
    const { props: p, setName } = props();
    const derived = derive(p) as { name: string };
    const seen = createMemo(() => derived.name);
    expect(seen()).toBe("one");
    setName("two");
    expect(seen()).toBe("two");
    dispose();
  });
});
