// Every text a user reads must be in the catalog: this finds those in the source of the components that are not.

import { parseSync } from "vite";
import { expect, test } from "vitest";

const sources = import.meta.glob<string>(["../**/*.ts", "../**/*.tsx"], { query: "?raw", import: "default", eager: true });
/** Files whose texts no user sees, or that the page does not render. */
const elsewhere = /\/test-[\w-]+\.tsx$|\.test\.tsx?$|\.bench\.ts$|gallery\.tsx$|examples\.ts$|fake\.ts$|\/test\/|border\.gen\.ts$|\/i18n\//;

/** Attributes that are visible or announced. */
const shown = new Set(["label", "title", "aria-label", "aria-description", "placeholder", "description", "alt", "hint", "why", "about", "tooltip"]);

const excused = new Set([
  // Names and code, the same in every language.
  "Parley", "Claude", "Claude Code", "parley serve", "…/#token=…", "PARLEY_SECRET_", "/settings.json", "/theme.css", "pass show work/claude", "@agent-",
  "const answer = await ask(42);",
  // Messages to the model.
  "The user chose not to answer", "The user discarded this plan. Stop here and wait for what they say next.",
]);

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && typeof (value as Node).type === "string";

function children(node: Node): Node[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));
}

const hasLetters = (words: string) => /\p{L}{2}/u.test(words);
/** A text for users: a capital letter, and a following word. */
const isSentence = (words: string) => /^\p{Lu}[\p{Ll}’]*[ ,:] ?\p{L}/u.test(words) && !/^[A-Z][a-z]+ (?:-|\/)/.test(words);

/** The strings an expression may evaluate to: itself, the branches of a conditional, its parts. */
function strings(node: Node): string[] {
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" ? [node["value"]] : [];
    case "TemplateLiteral":
      return (node["quasis"] as Node[]).map((quasi) => (quasi["value"] as { raw: string }).raw);
    case "ConditionalExpression":
      return [node["consequent"], node["alternate"]].flatMap((side) => strings(side as Node));
    case "LogicalExpression":
    case "BinaryExpression":
      return /^([=!]==?|[<>]=?|in)$/.test(String(node["operator"])) ? [] : [node["left"], node["right"]].flatMap((side) => strings(side as Node));
    case "JSXExpressionContainer":
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
      return strings(node["expression"] as Node);
    default:
      return [];
  }
}

/** The texts in a file that should be in the catalog. */
function literals(name: string, code: string): string[] {
  const { program, errors } = parseSync(name, code, { lang: name.endsWith("x") ? "tsx" : "ts", sourceType: "module" });
  expect(errors, name).toEqual([]);
  const found: string[] = [];
  const add = (words: string, node: Node) => {
    const said = words.trim().replace(/\s+/g, " ");
    if (!excused.has(said)) found.push(`${name}:${code.slice(0, node.start).split("\n").length} ${said}`);
  };
  const visit = (node: Node): void => {
    if (node.type === "ImportDeclaration" || node.type.startsWith("TSType") || node.type.startsWith("TSInterface")) return;
    // Errors for developers.
    if (node.type === "NewExpression" && String((node["callee"] as Node)["name"]).endsWith("Error") && (node["callee"] as Node)["name"] !== "HostError") return;
    if (node.type === "JSXText" && hasLetters(String(node["value"]))) add(String(node["value"]), node);
    if (node.type === "JSXAttribute") {
      const attribute = String((node["name"] as Node)["name"]);
      const value = node["value"];
      if (shown.has(attribute) && isNode(value)) for (const words of strings(value)) if (hasLetters(words)) add(words, node);
    }
    if (node.type === "JSXElement" || node.type === "JSXFragment") {
      for (const child of node["children"] as Node[]) {
        if (child.type === "JSXExpressionContainer") for (const words of strings(child)) if (hasLetters(words)) add(words, child);
      }
    }
    if (node.type === "Literal" || node.type === "TemplateLiteral") for (const words of strings(node).slice(0, 1)) if (isSentence(words)) add(words, node);
    for (const child of children(node)) visit(child);
  };
  visit(program as unknown as Node);
  return [...new Set(found)];
}

test("what should be in the catalogue is found", () => {
  const code = `
    const a = <p title="Some words">Read me {busy() ? "Saving…" : "Save"} <b>Parley</b></p>;
    const b = () => fail("Nothing was found here.");
    const c = <Item label={\`Remove \${name}\`} class="not this" />;
    const d = ["Mod+Shift+B", "ArrowDown", "application/json", "not seen as one"];`;
  expect(literals("some.tsx", code).map((line) => line.replace(/^\S+ /, ""))).toEqual([
    "Saving…", "Save", "Some words", "Read me", "Nothing was found here.", "Remove",
  ]);
});

test("no text for a user stands outside of the catalogue", () => {
  const all = Object.entries(sources).filter(([path]) => !elsewhere.test(path) && !path.startsWith("./"));
  expect(all.length).toBeGreaterThan(200);
  expect(all.flatMap(([path, code]) => literals(path.replace("../", ""), code))).toEqual([]);
});
