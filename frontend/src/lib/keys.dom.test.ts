import { expect, test } from "vitest";
import { nameBackTab } from "./keys";

test.each([
  ["Unidentified", "Tab", "Tab"],
  ["Tab", "Tab", "Tab"],
  ["Unidentified", "F13", "Unidentified"],
  ["a", "KeyA", "a"],
])("a key named %s at %s is heard as %s", (key, code, want) => {
  const stop = nameBackTab();
  const heard: string[] = [];
  const listen = (event: KeyboardEvent) => heard.push(event.key);
  document.addEventListener("keydown", listen);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, shiftKey: true, bubbles: true }));
  document.removeEventListener("keydown", listen);
  stop();
  expect(heard).toEqual([want]);
});

test("nothing is renamed once it is stopped", () => {
  nameBackTab()();
  const event = new KeyboardEvent("keydown", { key: "Unidentified", code: "Tab", bubbles: true });
  document.body.dispatchEvent(event);
  expect(event.key).toBe("Unidentified");
});
