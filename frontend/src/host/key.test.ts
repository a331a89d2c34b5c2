import { describe, expect, it, type Mock, vi } from "vitest";
import { createKey, type KeyOptions, postToken } from "./key";

function storage(all: Record<string, string> = {}) {
  return {
    all,
    getItem: (name: string) => all[name] ?? null,
    setItem: (name: string, value: string) => void (all[name] = value),
    removeItem: (name: string) => void delete all[name],
  };
}

const broken = { getItem: () => { throw new Error("no"); }, setItem: () => { throw new Error("no"); }, removeItem: () => { throw new Error("no"); } };
const at = (href: string) => ({ href, hash: href.includes("#") ? href.slice(href.indexOf("#")) : "" });
const here = "http://127.0.0.1:8787/";
const proof = "p".repeat(64);

function make({ post = vi.fn<KeyOptions["post"]>(async () => "taken"), ...change }: Partial<Omit<KeyOptions, "post">> & { post?: Mock<KeyOptions["post"]> } = {}) {
  const options = {
    address: at(here),
    past: { replaceState: vi.fn() },
    tab: storage(),
    kept: storage(),
    post,
    ...change,
  };
  return { ...options, key: createKey(options) };
}

describe("the key of a page", () => {
  it.each([
    ["#token=a%2Bb", "a+b"],
    ["#token=%E0%A4%A", "%E0%A4%A"],
    ["#token=a#b", "a#b"],
  ])("is taken out of the address and traded %#", async (hash, want) => {
    const { key, past, post, kept, tab } = make({ address: at(`${here}session/s1?x=1${hash}`), tab: storage(), kept: storage() });
    expect(past.replaceState).toHaveBeenCalledExactlyOnceWith(null, "", `${here}session/s1?x=1`);
    expect(await key.trade()).toBe(true);
    expect(post).toHaveBeenCalledExactlyOnceWith(want, expect.stringMatching(/^[0-9a-f]{64}$/));
    const made = post.mock.calls[0]?.[1];
    expect(key.current()).toBe(`proof.${made}`);
    expect((kept as ReturnType<typeof storage>).all).toEqual({ "parley.proof": made });
    expect((tab as ReturnType<typeof storage>).all).toEqual({});
    expect(key.trade()).toBeNull();
  });

  it.each(["#token=", `#token=${"x".repeat(600)}`])("is none in %s", (hash) => {
    const { key, past } = make({ address: at(here + hash) });
    expect(key.trade()).toBeNull();
    expect(past.replaceState).toHaveBeenCalledExactlyOnceWith(null, "", here);
  });

  it("leaves an address without one alone, and cleans one that looks like another site", () => {
    const { past } = make({ address: at(`${here}#other`) });
    expect(past.replaceState).not.toHaveBeenCalled();
    expect(make({ address: at(`${here}/evil.example/#token=x`) }).past.replaceState).toHaveBeenCalledWith(null, "", `${here}/evil.example/`);
  });

  it("comes from the address as it was before the page was loaded anew, once", async () => {
    const tab = storage({ "parley.link": "#token=a%2Bb" });
    const { key, post } = make({ tab });
    await key.trade();
    expect(post.mock.calls[0]?.[0]).toBe("a+b");
    expect(tab.all).toEqual({});
  });

  it("is in every tab what the first one traded, with the same proof", async () => {
    const kept = storage({ "parley.proof": proof });
    expect(make({ kept }).key.current()).toBe(`proof.${proof}`);
    const { key, post } = make({ kept, address: at(`${here}#token=t`) });
    await key.trade();
    expect(post).toHaveBeenCalledWith("t", proof);
  });

  it("that is wrong does not lock out whoever was in", async () => {
    const kept = storage({ "parley.proof": proof });
    const { key } = make({ kept, address: at(`${here}#token=wrong`), post: vi.fn<KeyOptions["post"]>(async () => "refused") });
    expect(await key.trade()).toBe(true);
    expect(key.current()).toBe(`proof.${proof}`);
    expect(key.trade()).toBeNull();
  });

  it("is traded later when nobody answers", async () => {
    const post = vi.fn<KeyOptions["post"]>(async () => null);
    const { key, kept } = make({ address: at(`${here}#token=t`), post, kept: storage() });
    expect(await key.trade()).toBe(false);
    expect((kept as ReturnType<typeof storage>).all).toEqual({});
    post.mockResolvedValue("taken");
    expect(await key.trade()).toBe(true);
    expect(key.current()).toMatch(/^proof\./);
  });

  it("gets in without the cookie where the browser takes none, until the page is left", async () => {
    const { key } = make({ address: at(`${here}#token=t`) });
    await key.trade();
    key.refused(key.current() ?? "");
    expect(key.current()).toBe("token.t");
    key.accepted("token.t");
    key.refused("token.t");
    expect(key.current()).toBeNull();
  });

  it("is the cookie alone where there is no proof, and then nothing", () => {
    const { key } = make({ kept: storage({ "parley.proof": "no proof, that" }) });
    expect(key.current()).toBe("");
    key.refused("");
    expect(key.current()).toBeNull();
  });

  it.each([null, broken])("is known until the page is left where nothing can be kept", async (nothing) => {
    const { key } = make({ tab: nothing, kept: nothing, address: at(`${here}#token=t`) });
    await key.trade();
    expect(key.current()).toMatch(/^proof\./);
  });
});

describe("trading", () => {
  it.each([
    [204, "taken"],
    [401, "refused"],
    [403, "refused"],
    [503, null],
  ])("takes an answer of %i", async (status, want) => {
    const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(null, { status }));
    expect(await postToken(here, "t", proof)).toBe(want);
    const [address, request] = asked.mock.calls[0] ?? [];
    expect(String(address)).toBe(`${here}auth`);
    expect(request?.method).toBe("POST");
    expect(JSON.parse(String(request?.body))).toEqual({ token: "t", proof });
  });

  it("knows when nobody answers", async () => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("no"));
    expect(await postToken(here, "t", proof)).toBeNull();
  });
});
