import { afterEach, expect, test } from "vitest";
import { setLanguage, showLanguage, text } from ".";
import { pseudoLanguages } from "../../gallery/pseudo";

afterEach(() => setLanguage("en"));

const of = (code: string) => {
  const found = pseudoLanguages.find((language) => language.code === code);
  if (!found) throw new Error(`there is no ${code}`);
  return found;
};

test("the longer one keeps what it is given, and is a third longer", async () => {
  await showLanguage(of("en-XA"));
  expect(text().common.cancel).toBe("⟦Çáñçéļ··⟧");
  expect(text().sessions.menu.duplicateHint.length).toBeGreaterThan(1.25 * 71);
  expect(document.documentElement).toHaveAttribute("dir", "ltr");
});

test("the mirrored one turns the page around", async () => {
  await showLanguage(of("ar-XB"));
  expect(text().common.cancel).toBe("\u202eCancel\u202c");
  expect(document.documentElement).toHaveAttribute("dir", "rtl");
  await setLanguage("en");
  expect(document.documentElement).toHaveAttribute("dir", "ltr");
});
