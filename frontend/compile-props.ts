// Props that cost the browser little.
//
// Solid hands a component its props as an object with getters of its own. V8 makes a slow
// object of each of these, and keeps getters of objects where only its rarest collection looks:
// whatever a getter can reach, which is all of the component around it, outlives the rows it
// was drawn for, and is copied twice on the way. A quarter of all that scrolling through a long
// conversation made was kept so. Getters of a class are read thirty times as fast, and nothing
// is kept for them. So of
//
//     createComponent(Row, { get id() { return row().id; }, first: true })
//
// there becomes
//
//     class Props { constructor(id, first) { this.$id = id; this.first = first; } get id() { return this.$id(); } }
//     createComponent(Row, new Props(() => row().id, true))
//
// Who looks at which props there are would not find these. Components that do so, and such
// as nobody knows, are given what Solid makes. The virtual list does so with each of its rows,
// which get a proxy (src/lib/provided.ts): not as fast, but nothing is kept for it either.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NodePath, PluginObj, types } from "@babel/core";

type Types = typeof types;

/** Solid's own components that read their props by name. */
const builtIn = new Set(["For", "Index", "Show", "Switch", "Match"]);
/** What looks at which props there are. */
const enumerates = /\b(?:splitProps|mergeProps)\(|\.\.\.(?:props|rest|others)\b|\bObject\.\w+\(props\b|\bin props\b\)|\.\.\.\w+ \} = props;/;
/** Whose components get proxies instead. */
const proxied = /\/virtua\/lib\/solid\//;
const provided = join(import.meta.dirname, "src/lib/provided.ts");

/** For Babel, beside Solid's own. */
export default function compileProps({ types: t }: { types: Types }): PluginObj {
  return {
    visitor: {
      Program: {
        exit(program, { filename = "", file }) {
          const shapes = new Map<string, { id: types.Identifier; declaration: types.Statement }>();
          /** What is declared once for all props of the same shape. */
          const shared = (kind: string, fields: readonly Field[], declare: (id: types.Identifier) => types.Statement) => {
            const shape = [kind, ...fields.map(({ name, lazy }) => `${lazy ? "get " : ""}${name}`)].join();
            const known = shapes.get(shape);
            if (known) return known.id;
            const id = program.scope.generateUidIdentifier(kind);
            shapes.set(shape, { id, declaration: declare(id) });
            return id;
          };
          let handler: types.Identifier | undefined;
          program.traverse({
            CallExpression(call) {
              const [component, props] = call.node.arguments;
              if (!t.isIdentifier(call.node.callee, { name: "_$createComponent" }) || !t.isObjectExpression(props)) return;
              const fields = fieldsOf(t, props);
              if (!fields?.some(({ lazy }) => lazy)) return;
              if (isProvider(t, component) || (t.isIdentifier(component) && readsByName(call, component.name, filename, file.code))) {
                const made = shared("Props", fields, (id) => classOf(t, id, fields));
                call.node.arguments[1] = t.newExpression(made, fields.map(({ value }) => value));
              } else if (proxied.test(filename)) {
                const handlerOf = (handler ??= program.scope.generateUidIdentifier("provided"));
                const made = shared("Given", fields, (id) => handlerFor(t, id, handlerOf, fields));
                const target = t.objectExpression(fields.map(({ name, value }) => t.objectProperty(t.stringLiteral(name), value)));
                call.node.arguments[1] = t.newExpression(t.identifier("Proxy"), [target, made]);
              }
            },
          });
          if (handler) program.unshiftContainer("body", t.importDeclaration([t.importSpecifier(handler, t.identifier("provided"))], t.stringLiteral(provided)));
          const declarations = [...shapes.values()].map(({ declaration }) => declaration);
          const last = program.get("body").findLast((statement) => statement.isImportDeclaration());
          if (last) last.insertAfter(declarations);
          else program.unshiftContainer("body", declarations);
        },
      },
    },
  };
}

interface Field {
  name: string;
  /** It is evaluated on each read. */
  lazy: boolean;
  value: types.Expression;
}

/** What is in an object; null if it is more than names and values. */
function fieldsOf(t: Types, { properties }: types.ObjectExpression): Field[] | null {
  const fields: Field[] = [];
  for (const property of properties) {
    if (t.isSpreadElement(property)) return null;
    const name = t.isStringLiteral(property.key) ? property.key.value : t.isIdentifier(property.key) && !property.computed ? property.key.name : "";
    if (name === "" || name === "constructor" || name === "__proto__" || fields.some((field) => field.name === name)) return null;
    if (t.isObjectProperty(property)) {
      if (!t.isExpression(property.value)) return null;
      fields.push({ name, lazy: false, value: property.value });
    } else if (property.kind === "get") {
      const [only] = property.body.body;
      const value = property.body.body.length === 1 && t.isReturnStatement(only) && only.argument ? only.argument : property.body;
      fields.push({ name, lazy: true, value: t.arrowFunctionExpression([], value) });
    } else if (property.kind === "method") {
      fields.push({ name, lazy: false, value: t.functionExpression(null, property.params as types.FunctionParameter[], property.body, property.generator, property.async) });
    } else {
      return null;
    }
  }
  return fields;
}

function classOf(t: Types, id: types.Identifier, fields: readonly Field[]): types.Statement {
  const own = (name: string) => t.memberExpression(t.thisExpression(), t.stringLiteral(name), true);
  const kept = ({ name, lazy }: Field) => own(lazy ? `$${name}` : name);
  const parameters = fields.map((_, i) => t.identifier(`p${i}`));
  const take = fields.map((field, i) => t.expressionStatement(t.assignmentExpression("=", kept(field), t.identifier(`p${i}`))));
  const getters = fields
    .filter(({ lazy }) => lazy)
    .map((field) => t.classMethod("get", t.stringLiteral(field.name), [], t.blockStatement([t.returnStatement(t.callExpression(kept(field), []))])));
  return t.classDeclaration(id, null, t.classBody([t.classMethod("constructor", t.identifier("constructor"), parameters, t.blockStatement(take)), ...getters]));
}

function handlerFor(t: Types, id: types.Identifier, handler: types.Identifier, fields: readonly Field[]): types.Statement {
  const lazy = fields.filter((field) => field.lazy).map(({ name }) => t.stringLiteral(name));
  return t.variableDeclaration("const", [t.variableDeclarator(id, t.callExpression(handler, [t.arrayExpression(lazy)]))]);
}

/** A context's Provider reads its value and its children. */
const isProvider = (t: Types, component: types.Node | undefined) => t.isMemberExpression(component) && t.isIdentifier(component.property, { name: "Provider" });

/** Whether a component is known to read its props by their names only. */
function readsByName(at: NodePath, component: string, file: string, code: string): boolean {
  const binding = at.scope.getBinding(component);
  if (binding?.kind !== "module") {
    if (file.includes("/node_modules/") || component.startsWith("_$") || enumerates.test(code)) return false;
    // What Solid declares again while the page is developed is not bound. What a variable
    // holds may come from anywhere.
    const declared = binding?.path.isVariableDeclarator() ? binding.path.get("init") : binding?.path;
    return declared === undefined || (!Array.isArray(declared) && declared.isFunction());
  }
  const specifier = binding.path.node;
  const declaration = binding.path.parent as types.ImportDeclaration;
  if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") return false;
  const { name } = specifier.imported;
  const source = declaration.source.value;
  if (source.startsWith("solid-js")) return builtIn.has(name);
  return source.startsWith(".") && !file.includes("/node_modules/") && declaredByName(join(dirname(file), source), name);
}

/** Looks at the file that declares a component, by way of those that hand it on. */
function declaredByName(path: string, component: string): boolean {
  const file = [`${path}.tsx`, `${path}.ts`, join(path, "index.ts")].find((one) => existsSync(one));
  if (!file) return false;
  const code = readFileSync(file, "utf8");
  const handed = new RegExp(`export \\{[^}]*\\b${component}\\b[^}]*\\} from "([^"]+)"`).exec(code)?.[1];
  if (handed) return declaredByName(join(dirname(file), handed), component);
  return new RegExp(`\\bexport function ${component}\\b`).test(code) && !enumerates.test(code);
}
