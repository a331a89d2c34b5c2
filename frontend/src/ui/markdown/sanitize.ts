// The one way by which markup made from outside text may reach the page. It
// allows a short list of elements and attributes and nothing else: no style, no
// event handler, no form, no frame, nothing that loads by itself. Of MathML there is
// what draws a formula; SVG goes another way and is only ever shown as an image.

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
  // What these hold is not text for a user.
  FORBID_CONTENTS: ["script", "style", "template", "noscript", "iframe", "object", "svg", "annotation", "annotation-xml", "maction"],
};

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/]+={0,2}$/i;

/** Tells whether a URL is an image held in the URL itself, of a kind that cannot run anything. */
export function isDataImage(url: string): boolean {
  return DATA_IMAGE.test(url);
}

// The marks that the dialect puts on what it draws.
const CLASSES: Record<string, RegExp> = {
  CODE: /^(?:language-[\w+#.-]{1,40}|math-error|formula|formula-block)$/,
  SPAN: /^(?:math|math-block|note-label|task-done|task-open)$/,
  SUP: /^note-ref$/,
  DIV: /^note$/,
};
const MATH_VALUE = /^[\w\s.%+-]{0,60}$/;

// Each attribute is allowed on its own elements with its own values only.
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

// Elements that hold text, or a line, and do nothing else. Markup of these alone, without a
// single attribute and each closed in its order, is safe as it is, and so are links in the one
// form in which the dialect writes them, to an address of plain letters. Most of what is written
// is no more than that, and for all other markup the library makes a document, which is slow.
const HARMLESS = [
  "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "kbd", "li", "ol", "p", "strong", "sub", "sup",
  "table", "tbody", "td", "th", "thead", "tr", "ul",
];
const MORE = new RegExp(`<(?!/?(?:${HARMLESS.join("|")})>)`);
const LINK = /<a href="(https?:\/\/[\w./~%#?=+@:,;!*()-]+)" title="\1">/g;

function isHarmless(html: string): boolean {
  // Links are looked at as if they had no address. One that has none is not the dialect's.
  if (html.includes("<a>") || html.includes("\0")) return false;
  const bare = html.includes("<a ") ? html.replace(LINK, (link, address: string) => (safeHref(address) === address ? "<a>" : link)) : html;
  if (MORE.test(bare)) return false;
  const open: string[] = [];
  for (const [, end, name = ""] of bare.matchAll(/<(\/?)(\w+)>/g)) {
    // Links in links are taken apart by whoever reads them.
    if (name === "a" && end === "" && open.includes("a")) return false;
    if (end === "" && name !== "br" && name !== "hr") open.push(name);
    if (end !== "" && open.pop() !== name) return false;
  }
  return open.length === 0;
}

let purifier: DOMPurify | undefined;

function create(): DOMPurify {
  const made = createPurifier(window);
  // Once: what is given with each call is read again with each call.
  made.setConfig(config);
  made.addHook("uponSanitizeAttribute", (node, data) => {
    const value = keep(node.nodeName, data.attrName, data.attrValue);
    if (value === null) {
      data.keepAttr = false;
      return;
    }
    data.attrValue = value;
    // The gate above is stricter than the library's own rule for URLs.
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

/** Makes markup safe to put into the page. */
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

// What a style may ask for from elsewhere, and what breaks out of it.
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
 * Makes a drawing safe to be shown as an image, as the text of an SVG file; null when
 * it is none. Nothing in it runs, loads or leads anywhere. Never for putting into
 * the page itself.
 */
export function sanitizeDrawing(svg: string): string | null {
  drawingPurifier ??= createForDrawings();
  const drawing = (drawingPurifier.sanitize(svg) as unknown as Element).querySelector("svg");
  if (!drawing) return null;
  drawing.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  // An image has the size that its file says, and one in percent is none.
  const [, , width, height] = (drawing.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (width !== undefined && height !== undefined && width > 0 && height > 0) {
    drawing.setAttribute("width", String(Math.ceil(width)));
    drawing.setAttribute("height", String(Math.ceil(height)));
    drawing.removeAttribute("style");
  }
  return new XMLSerializer().serializeToString(drawing);
}
