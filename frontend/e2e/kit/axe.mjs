// axe-core on a page: WCAG 2.0 to 2.2, levels A and AA, and some practices.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sandbox.mjs";

const axe = readFileSync(join(root, "frontend/node_modules/axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Not part of WCAG, but expected of every page. */
const practices = [
  "region", "landmark-one-main", "landmark-unique", "heading-order", "page-has-heading-one", "empty-heading", "empty-table-header",
  "tabindex", "aria-dialog-name", "aria-text", "scope-attr-valid", "accesskeys",
];

/** axe's violations, of the given rules or all of them: a sentence for each rule. */
export async function violations(page, rules = null) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const results = await page.evaluate(
    async ([only, all, more]) => {
      // An overlay has the page to itself: the rest is hidden, and the library puts focusable guards around it.
      const hidden = document.querySelector("#root[aria-hidden=true]") !== null;
      const rules = window.axe.getRules(all).filter((rule) => !rule.tags.includes("experimental")).map((rule) => rule.ruleId);
      const { violations } = await window.axe.run(hidden ? { exclude: [["#root"]] } : document, {
        runOnly: { type: "rule", values: only ?? (hidden ? rules : [...rules, ...more]) },
        resultTypes: ["violations"],
        elementRef: false,
      });
      // Two of the practices, none of WCAG's rules, are left out where they cannot hold:
      // - The headings of an answer are the model's; their order is what it wrote.
      // - The gallery shows many of a part at once, of which the program shows one.
      const left = {
        "heading-order": (element) => element.closest('[data-component="markdown"]'),
        "landmark-unique": (element) => element.closest('[data-component="parts"]'),
      };
      for (const violation of violations) violation.nodes = violation.nodes.filter((node) => !left[violation.id]?.(document.querySelector(node.target[0])));
      return violations.filter(({ nodes }) => nodes.length > 0).map(({ id, nodes }) => ({ id, nodes: nodes.map((node) => ({ html: node.html.slice(0, 200), target: node.target.join(" "), why: (node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? "" })) }));
    },
    [rules, tags, practices],
  );
  return results.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes.slice(0, 6).map((node) => `\n    ${node.target}\n      ${node.html}\n      ${node.why}`).join("")}`);
}
