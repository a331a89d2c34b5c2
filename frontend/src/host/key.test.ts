import { describe, expect, it, vi } from "vitest";
import { createKey } from "./key";

function tab(kept?: string) {
  const all = new Map(kept === undefined ? [] : [["parley.key", kept]]);
  return {
    all,
    getItem: (name: string) => all.get(name) ?? null,
    setItem: (name: string, value: string) => void all.set(name, value),
    removeItem: (name: string) => void all.delete(name),
  };
}

const at = (href: string) => ({ href, hash: href.includes("#") ? href.slice(href.indexOf("#")) : "" });
const here = "http://127.0.0.1:8787/";

describe("the key of a tab", () => {
  it.each([
    ["#token=a%2Bb", "a+b"],
    ["#token=%E0%A4%A", "%E0%A4%A"],
    ["#token=a#b", "a#b"],
    ["#token=", null],
    [`#token=${"x".repeat(600)}`, null],
  ])("is taken out of the address %#", (hash, want) => {
    const replaceState = vi.fn();
    const storage = tab();
    const key = createKey(at(`${here}session/s1?x=1${hash}`), { replaceState }, storage);
    expect(key.current()).toBe(want);
    expect(replaceState.mock.calls).toEqual([[null, "", `${here}session/s1?x=1`]]);
    expect(createKey(at(here), { replaceState }, storage).current()).toBe(want);
  });

  it("leaves an address without one alone, and cleans one that looks like another site", () => {
    const replaceState = vi.fn();
    expect(createKey(at(`${here}#other`), { replaceState }, tab()).current()).toBeNull();
    expect(replaceState).not.toHaveBeenCalled();
    createKey(at(`${here}/evil.example/#token=x`), { replaceState }, tab());
    expect(replaceState).toHaveBeenCalledWith(null, "", `${here}/evil.example/`);
  });

  it("of a new link goes before the one that is kept, which comes back when it is refused", () => {
    const storage = tab('["old"]');
    const key = createKey(at(`${here}#token=new`), { replaceState() {} }, storage);
    expect(key.current()).toBe("new");
    key.refused("new");
    expect(key.current()).toBe("old");
    key.refused("old");
    expect(key.current()).toBeNull();
    expect(storage.all.size).toBe(0);
  });

  it("comes from the address as it was before the page was loaded anew, once", () => {
    const storage = tab('["old"]');
    storage.setItem("parley.link", "#token=a%2Bb");
    expect(createKey(at(here), { replaceState() {} }, storage).current()).toBe("a+b");
    expect([...storage.all.keys()]).toEqual(["parley.key"]);
  });

  it("that is let in is the only one that is kept", () => {
    const storage = tab('["old"]');
    const key = createKey(at(`${here}#token=new`), { replaceState() {} }, storage);
    key.accepted("new");
    key.refused("new");
    expect(key.current()).toBeNull();
  });

  it.each(["nonsense", "{}", "[1,null,{}]", '["",""]', "null"])("is none when what is kept is %s", (kept) => {
    expect(createKey(at(here), { replaceState() {} }, tab(kept)).current()).toBeNull();
  });

  it("is known until the page is left where nothing can be kept", () => {
    const broken = { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); }, removeItem: () => { throw new Error("no"); } };
    for (const storage of [null, broken]) expect(createKey(at(`${here}#token=x`), { replaceState() {} }, storage).current()).toBe("x");
  });
});
