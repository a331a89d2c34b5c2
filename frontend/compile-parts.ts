// Lets browsers find the rules for an element by its part. They sort rules by the names of
// attributes and not by values, so that every slot would be tried against the rules of all
// slots. Sources and tests name a part by data-component or data-slot; what is built has
// beside it an attribute for this value alone, which is what the built styles select.

import postcss, { type AtRule, type Declaration, type Rule } from "postcss";
import { parseSync, type Plugin } from "vite";

const named = new Set(["data-component", "data-slot"]);

/** What is written into a source, and where. */
interface Insertion {
  at: number;
  text: string;
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value && "start" in value;
const within = (node: Node): Node[] => Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));
const textOf = (node: unknown): string | null => (isNode(node) && node.type === "Literal" && typeof node["value"] === "string" ? node["value"] : null);

/** An attribute of an element: data-slot="name", or one whose name changes. */
function attribute(node: Node, code: string): Insertion[] {
  const { name, value } = node as unknown as { name: Node & { name: string }; value: Node | null };
  if (!named.has(name.name) || !value) return [];
  const fixed = textOf(value);
  if (fixed !== null) return [{ at: node.end, text: ` ${name.name}-${fixed}=""` }];
  const { expression } = value as unknown as { expression: Node };
  return [{ at: node.end, text: ` {...{ [${JSON.stringify(`${name.name}-`)} + (${code.slice(expression.start, expression.end)})]: "" }}` }];
}

/** An element that is made by hand: element.dataset["slot"] = "name". */
function assignment(node: Node, code: string): Insertion[] {
  const { left, right } = node as unknown as { left: Node; right: Node };
  const name = textOf(left["property"]);
  const dataset = left["object"];
  if (left.type !== "MemberExpression" || (name !== "component" && name !== "slot") || !isNode(dataset) || dataset.type !== "MemberExpression") return [];
  const { object: element, property } = dataset as unknown as { object: Node; property: Node & { name?: string } };
  const value = textOf(right);
  if (property.name !== "dataset" || value === null) return [];
  return [{ at: node.end, text: `, ${code.slice(element.start, element.end)}.setAttribute("data-${name}-${value}", "")` }];
}

/** A source whose parts have the attributes for their names. */
function nameParts(code: string, file: string): string {
  const { program, errors } = parseSync(file, code);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const found: Insertion[] = [];
  const look = (node: Node): void => {
    if (node.type === "JSXAttribute") found.push(...attribute(node, code));
    if (node.type === "AssignmentExpression") found.push(...assignment(node, code));
    within(node).forEach(look);
  };
  look(program as unknown as Node);
  return found
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: more }) => text.slice(0, at) + more + text.slice(at), code);
}

const rem = (value: string) => value.replace(/(?<![\w.#-])(-?\d*\.?\d+)px\b/g, (whole, px: string) => (Math.abs(Number(px)) <= 3 ? whole : `${Number(px) / 16}rem`));

/**
 * A style sheet that selects parts by these attributes, with rem for px, so that everything
 * grows with the zoom, which is the size of the root's font. Lines of up to 3 px stay as thin
 * as they are, and media queries ask for the window's own size.
 */
function styleParts(css: string): string {
  const sheet = postcss.parse(css);
  sheet.walkRules((rule: Rule) => {
    rule.selector = rule.selector.replace(/\[(data-component|data-slot)="([\w-]+)"\]/g, "[$1-$2]");
  });
  sheet.walkDecls((declaration: Declaration) => {
    declaration.value = rem(declaration.value);
  });
  sheet.walkAtRules((rule: AtRule) => {
    if (rule.name !== "media") rule.params = rem(rule.params);
  });
  return sheet.toString();
}

export const parts: Plugin = {
  name: "parts-by-name",
  enforce: "pre",
  transform: {
    filter: { id: /\/(src|gallery)\/.*\.(css|tsx?)$/ },
    handler: (code, id) => (id.endsWith(".css") ? styleParts(code) : nameParts(code, id)),
  },
};
