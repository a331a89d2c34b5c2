// All markup from external text has to pass through here. A short list of elements and attributes is allowed, and
// nothing else: no styles, event handlers, forms, frames, or anything that loads automatically. MathML is limited to
// what formulas need; SVG is handled separately and only ever shown as an image.

import createPurifier, { type Config, type DOMPurify } from "dompurify";
import { safeHref } from "../../lib/links";

const MATH = [
  "math", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts", "mroot",
  "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
];

const MATH_ATTRIBUTES = [
  "accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence", "height", "largeop",
  "linethickness", "lspace", "mathsize", "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowalign", "rowlines",
  "rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width",
];

const config: Config = {
  ALLOWED_TAGS: [
    ...MATH,
    "a", "blockquote", "br", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr", "img", "kbd", "li",
    "ol", "p", "pre", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: [...MATH_ATTRIBUTES, "align", "alt", "class", "href", "src", "start", "title"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // The content of these is not text for a user.
  FORBID_CONTENTS: ["script", "style", "template", "noscript", "iframe", "object", "svg", "annotation", "annotation-xml", "maction"],
};

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/]+={0,2}$/i;

/** Whether a URL is an image embedded in the URL, of a passive type. */
export function isDataImage(url: string): boolean {
  return DATA_IMAGE.test(url);
}

// The classes the dialect adds to its markup.
const CLASSES: Record<string, RegExp> = {
  CODE: /^(?:language-[\w+#.-]{1,40}|math-error|formula|formula-block)$/,
  SPAN: /^(?:math|math-block|note-label|task-done|task-open)$/,
  SUP: /^note-ref$/,
  DIV: /^note$/,
};
const MATH_VALUE = /^[\w\s.%+-]{0,60}$/;

// Each attribute is only allowed on its own elements, with its own values.
function keep(tag: string, attribute: string, value: string): string | null {
  switch (attribute) {
    case "href":
      return tag === "A" ? safeHref(value) : null;
    case "src":
      return tag === "IMG" && isDataImage(value) ? value : null;
    case "alt":
      return tag === "IMG" ? value : null;
    case "class":
      return CLASSES[tag]?.test(value) ? value : null;
    case "align":
      return /^(?:left|center|right)$/.test(value) ? value : null;
    case "start":
      return tag === "OL" && /^\d{1,9}$/.test(value) ? value : null;
    case "title":
      return tag === "A" || tag === "CODE" ? value : null;
    default:
      return MATH.includes(tag) && MATH_ATTRIBUTES.includes(attribute) && MATH_VALUE.test(value) ? value : null;
  }
}

// Elements that contain text or draw a line, and do nothing else. Markup with only these, without attributes and
// properly nested, is safe as it is, and so are links in the exact form the dialect writes, to an address of plain
// letters. Most text is no more than that, and for all other markup the library creates a document, which is slow.
const HARMLESS = [
  "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "kbd", "li", "ol", "p", "strong", "sub", "sup",
  "table", "tbody", "td", "th", "thead", "tr", "ul",
];
const MORE = new RegExp(`<(?!/?(?:${HARMLESS.join("|")})>)`);
const LINK = /<a href="(https?:\/\/[\w./~%#?=+@:,;!*()-]+)" title="\1">/g;

function isHarmless(html: string): boolean {
  // Links are checked as if they had no address. One without an address is not the dialect's.
  if (html.includes("<a>") || html.includes("\0")) return false;
  const bare = html.includes("<a ") ? html.replace(LINK, (link, address: string) => (safeHref(address) === address ? "<a>" : link)) : html;
  if (MORE.test(bare)) return false;
  const open: string[] = [];
  for (const [, end, name = ""] of bare.matchAll(/<(\/?)(\w+)>/g)) {
    // Parsers split nested links.
    if (name === "a" && end === "" && open.includes("a")) return false;
    if (end === "" && name !== "br" && name !== "hr") open.push(name);
    if (end !== "" && open.pop() !== name) return false;
  }
  return open.length === 0;
}

let purifier: DOMPurify | undefined;

function create(): DOMPurify {
  const made = createPurifier(window);
  // Set once: configuration passed with each call is parsed each time.
  made.setConfig(config);
  made.addHook("uponSanitizeAttribute", (node, data) => {
    const value = keep(node.nodeName, data.attrName, data.attrValue);
    if (value === null) {
      data.keepAttr = false;
      return;
    }
    data.attrValue = value;
    // The check above is stricter than the library's own URL rule.
    data.forceKeepAttr = false;
  });
  made.addHook("afterSanitizeAttributes", (node) => {
    if (node.nodeName === "A") {
      if (!node.hasAttribute("href")) {
        node.replaceWith(...node.childNodes);
        return;
      }
      node.setAttribute("rel", "noopener noreferrer");
      node.setAttribute("target", "_blank");
    }
    if (node.nodeName === "IMG" && !node.hasAttribute("src")) node.remove();
  });
  return made;
}

/** Makes markup safe to insert into the page. */
export function sanitize(html: string): string {
  if (isHarmless(html)) return html.replace(LINK, '<a href="$1" title="$1" rel="noopener noreferrer" target="_blank">');
  purifier ??= create();
  return purifier.sanitize(html);
}

const svgConfig: Config = {
  USE_PROFILES: { svg: true, svgFilters: true },
  ADD_ATTR: ["dominant-baseline"],
  FORBID_TAGS: ["a", "animate", "animatemotion", "animatetransform", "foreignobject", "image", "feimage", "mpath", "script", "set", "use"],
  FORBID_CONTENTS: ["script", "foreignobject"],
  RETURN_DOM: true,
};

// What can load external resources in a style, or break out of it.
const STYLE_LOADS = /@import|@font-face|expression\(|url\((?!\s*["']?#)|<|\\/i;

let drawingPurifier: DOMPurify | undefined;

function createForDrawings(): DOMPurify {
  const made = createPurifier(window);
  made.setConfig(svgConfig);
  made.addHook("uponSanitizeAttribute", (_node, data) => {
    const local = /^(?:xlink:)?href$|^src$/.test(data.attrName);
    if (local || STYLE_LOADS.test(data.attrValue)) data.keepAttr = false;
  });
  made.addHook("uponSanitizeElement", (node, data) => {
    if (data.tagName === "style" && STYLE_LOADS.test(node.textContent ?? "")) node.textContent = "";
  });
  return made;
}

/**
 * Makes an SVG drawing safe to show as an image, and returns it as text; null if it is not one. Nothing in it runs,
 * loads or links. Not for inserting into the page.
 */
export function sanitizeDrawing(svg: string): string | null {
  drawingPurifier ??= createForDrawings();
  const drawing = (drawingPurifier.sanitize(svg) as unknown as Element).querySelector("svg");
  if (!drawing) return null;
  drawing.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  // An image needs a fixed size in its file; percentages are not enough.
  const [, , width, height] = (drawing.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (width !== undefined && height !== undefined && width > 0 && height > 0) {
    drawing.setAttribute("width", String(Math.ceil(width)));
    drawing.setAttribute("height", String(Math.ceil(height)));
    drawing.removeAttribute("style");
  }
  return new XMLSerializer().serializeToString(drawing);
}
