import { expect, it } from "vitest";
import { ago } from "./ago";
import { modeName, modelName, nextMode } from "./names";
import { baseName, tilde } from "./path";

it.each([
  ["claude-sonnet-4-5-20250929", "Sonnet 4.5"],
  ["claude-opus-4-1", "Opus 4.1"],
  ["claude-sonnet-5[1m]", "Sonnet 5 1M"],
  ["claude-haiku-4-20250101", "Haiku 4"],
  ["claude-3-5-sonnet-20241022", "claude-3-5-sonnet-20241022"],
  ["opus", "opus"],
  ["", "Default model"],
])("modelName(%j) is %j", (model, name) => expect(modelName(model)).toBe(name));

it("goes through the modes a user chooses from and comes back", () => {
  expect(["", "default", "acceptEdits", "plan", "bypassPermissions"].map(nextMode)).toEqual([
    "acceptEdits",
    "acceptEdits",
    "plan",
    "default",
    "default",
  ]);
  expect(modeName("somethingNew")).toBe("somethingNew");
});

it.each([
  ["/home/ada/x", "/home/ada", "~/x"],
  ["/home/ada", "/home/ada", "~"],
  ["/home/adam/x", "/home/ada", "/home/adam/x"],
  ["/x", "/", "/x"],
  ["/x", "", "/x"],
])("tilde(%j, %j) is %j", (path, home, short) => expect(tilde(path, home)).toBe(short));

it.each([
  ["/a/b/", "b"],
  ["C:\\a\\b", "b"],
  ["/", "/"],
])("baseName(%j) is %j", (path, name) => expect(baseName(path)).toBe(name));

it.each([
  [30_000, "now"],
  [61_000, "1m"],
  [59 * 60_000, "59m"],
  [3 * 3_600_000, "3h"],
  [2 * 86_400_000, "2d"],
])("%d ms ago is %j", (ms, text) => expect(ago(1_700_000_000_000 - ms, 1_700_000_000_000)).toBe(text));
