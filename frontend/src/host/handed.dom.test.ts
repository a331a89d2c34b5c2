import { afterEach, expect, it } from "vitest";
import { takeHanded } from "./handed";

afterEach(() => {
  document.head.innerHTML = "";
});

it("is taken out of the document", () => {
  document.head.innerHTML = `<script type="application/json" id="handed">{"pass":"p","answers":{"app.info {}":{"version":"1"}}}</script>`;
  const handed = takeHanded();
  expect(handed.pass).toBe("p");
  expect(handed.answers.get("app.info {}")).toEqual({ version: "1" });
  expect(document.documentElement.outerHTML).not.toContain("pass");
  expect(takeHanded()).toEqual({ pass: "", answers: new Map() });
});

it.each(["", "{", "null", "[]", '{"pass":1,"answers":"x"}', '{"answers":null}'])("is nothing where %j stands", (text) => {
  const script = document.createElement("script");
  script.type = "application/json";
  script.id = "handed";
  script.textContent = text;
  document.head.append(script);
  expect(takeHanded()).toMatchObject({ pass: "" });
});
