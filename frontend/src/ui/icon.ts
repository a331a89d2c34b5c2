// Renders the icons of lucide-solid in place of its own component (vite.config.ts). That one computes every attribute
// of every icon again, which was a quarter of the cost of rendering an answer; this one clones a template created once
// per icon. The result is the same.

import { createRenderEffect, type JSX } from "solid-js";

/** An icon's data in lucide-solid. */
interface Drawing {
  name: string;
  size: number;
  node: readonly (readonly [name: string, attributes: Record<string, string>])[];
  aliases?: readonly string[];
}

type Value = string | number | boolean | undefined;

const namespace = "http://www.w3.org/2000/svg";
const pictures = new WeakMap<Drawing, Element>();

/** An icon. All other props become attributes; size sets width and height. */
export default function Icon(props: { icon: Drawing } & Record<string, Value | Drawing>): JSX.Element {
  const svg = pictureOf(props.icon).cloneNode(true) as SVGSVGElement;
  for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(props))) {
    if (name === "icon") continue;
    // An icon with its own accessible name is not hidden.
    if (name === "title" || name === "role" || (name.startsWith("aria-") && name !== "aria-hidden")) svg.removeAttribute("aria-hidden");
    if (get) createRenderEffect(() => put(svg, props.icon, name, props[name] as Value));
    else put(svg, props.icon, name, value as Value);
  }
  return svg;
}

function pictureOf(icon: Drawing): Element {
  const known = pictures.get(icon);
  if (known) return known;
  const svg = element("svg", {
    xmlns: namespace, width: "24", height: "24", viewBox: `0 0 ${icon.size} ${icon.size}`, fill: "none", stroke: "currentColor",
    "stroke-width": "2", "stroke-linecap": "round", "stroke-linejoin": "round", class: classesOf(icon), "aria-hidden": "true",
  });
  for (const [name, { key: _, ...attributes }] of icon.node) svg.append(element(name, attributes));
  pictures.set(icon, svg);
  return svg;
}

function element(name: string, attributes: Record<string, string>): Element {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function classesOf({ name, aliases = [] }: Drawing): string {
  return ["lucide", ...[name, ...aliases].map((one) => `lucide-${one}`), "lucide-icon"].join(" ");
}

function put(svg: Element, icon: Drawing, name: string, value: Value): void {
  if (name === "size") {
    put(svg, icon, "width", value);
    put(svg, icon, "height", value);
  } else if (name === "class") {
    svg.setAttribute("class", `${classesOf(icon)} ${value ?? ""}`.trim());
  } else if (value === undefined) {
    svg.removeAttribute(name);
  } else {
    svg.setAttribute(name, String(value));
  }
}
