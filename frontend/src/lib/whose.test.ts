import { describe, expect, it } from "vitest";
import { isNamed, isOwn, nameOf } from "./whose";

describe("who did it", () => {
  it("names a paired device, and a person in a chat as they are there", () => {
    expect(["@My phone (device)", "@x (device) (device)", "@ann in Mattermost", "@ann in Mattermost (device)", "window", ""].map(nameOf)).toEqual([
      "My phone",
      "x (device)",
      "@ann in Mattermost",
      "ann in Mattermost",
      "window",
      "",
    ]);
    expect(["@My phone (device)", "@ann in Mattermost", "window", ""].map(isNamed)).toEqual([true, true, false, false]);
  });

  it("knows the prompts of one's own", () => {
    expect([undefined, { via: "device", username: "", name: "Phone" }, { via: "mattermost", username: "ann", name: "Ann" }].map(isOwn)).toEqual([true, true, false]);
  });
});
