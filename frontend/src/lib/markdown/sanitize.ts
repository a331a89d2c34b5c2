// The one way by which markup made from outside text may reach the page. It
// allows a short list of elements and attributes and nothing else: no style, no
// event handler, no form, no svg or math, no frame, nothing that loads by itself.

import createPurifier, { type Config, type DOMPurify } from "dompurify";
import { safeHref } from "../links";

const config: Config = {
  ALLOWED_TAGS: [
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "img", "kbd", "li",
    "ol", "p", "pre", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: ["align", "alt", "class", "href", "src", "start", "title"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // What these hold is not text for a person.
  FORBID_CONTENTS: ["script", "style", "template", "noscript", "iframe", "object", "svg", "math"],
};

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/]+={0,2}$/i;

/** Tells whether a URL is an image held in the URL itself, of a kind that cannot run anything. */
export function isDataImage(url: string): boolean {
  return DATA_IMAGE.test(url);
}

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
      return tag === "CODE" && /^language-[\w+#.-]{1,40}$/.test(value) ? value : null;
    case "align":
      return /^(?:left|center|right)$/.test(value) ? value : null;
    case "start":
      return tag === "OL" && /^\d{1,9}$/.test(value) ? value : null;
    case "title":
      return tag === "A" ? value : null;
    default:
      return null;
  }
}

let purifier: DOMPurify | undefined;

function create(): DOMPurify {
  const made = createPurifier(window);
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
  purifier ??= create();
  return purifier.sanitize(html, config);
}
