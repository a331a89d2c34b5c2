import { expect, test, vi } from "vitest";
import { createFakeHost } from "../../host/fake";
import { Pictures } from "./pictures";

const ref = (index: number) => ({ sessionId: "s", messageId: "m", index });
const wanted = () => new AbortController().signal;

function make(bytes = 10) {
  let made = 0;
  const gone: string[] = [];
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: () => `blob:${made++}`, revokeObjectURL: (url: string) => gone.push(url) }));
  const host = createFakeHost({ "session.attachment": () => ({ mediaType: "image/png", data: btoa("x".repeat(bytes)) }) });
  return { host, gone, pictures: new Pictures(host, 32) };
}

test("a picture is read once, however often it is shown", async () => {
  const { host, pictures } = make();
  expect(await Promise.all([pictures.take(ref(0), wanted()), pictures.take(ref(0), wanted())])).toEqual(["blob:0", "blob:0"]);
  pictures.drop(ref(0));
  pictures.drop(ref(0));
  expect(await pictures.take(ref(0), wanted())).toBe("blob:0");
  expect(host.callsOf("session.attachment")).toEqual([ref(0)]);
});

test("what is shown stays; of the rest the oldest go", async () => {
  const { gone, pictures } = make(14);
  for (const i of [0, 1, 2]) await pictures.take(ref(i), wanted());
  expect(gone).toEqual([]);
  pictures.drop(ref(1));
  expect(gone).toEqual(["blob:1"]);
  pictures.drop(ref(0));
  pictures.drop(ref(2));
  expect(gone).toEqual(["blob:1"]);
  await pictures.take(ref(3), wanted());
  expect(gone).toEqual(["blob:1", "blob:0"]);
});

test("what nobody waits for any more is not read, and a failure is the failure of one", async () => {
  const { host, pictures } = make();
  const stop = new AbortController();
  stop.abort();
  expect(await pictures.take(ref(0), stop.signal)).toBeNull();
  expect(host.calls).toEqual([]);
  host.on("session.attachment", () => Promise.reject(new Error("gone")));
  await expect(pictures.take(ref(1), wanted())).rejects.toThrow("gone");
  host.on("session.attachment", () => ({ mediaType: "image/png", data: "AA==" }));
  expect(await pictures.take(ref(1), wanted())).toBe("blob:0");
});
