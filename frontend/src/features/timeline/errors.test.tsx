import { expect, test } from "vitest";
import { failureCodes } from "../../host/border.gen";
import { failureWords, stepsFor } from "../composer/recovery";

test.each(failureCodes)("%s has a title, a meaning and a next step", (code) => {
  const words = failureWords(code);
  expect(words?.title).toBeTruthy();
  expect(words?.title).not.toMatch(/\.$/);
  expect(words?.about).toMatch(/\.$/);
  expect(stepsFor(code)).not.toEqual([]);
});

test("a code that is not known has the words of the program", () => {
  expect(failureWords("cli_exited")).toBeUndefined();
  expect(failureWords("toString")).toBeUndefined();
  expect(stepsFor("cli_exited")).toEqual(["again"]);
});
