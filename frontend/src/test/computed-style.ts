// The testing library asks for every element whether it is visible. jsdom computes that from all rules of its own sheet
// each time, which took half the time of view tests. They load no styles of the page, so three properties can be
// derived from the element itself and from style attributes. Everything else, and every page with styles, is left to
// jsdom.

/** Hidden parts of tables have visibility: collapse. */
const collapsing = "colgroup[hidden], col[hidden], thead[hidden], tbody[hidden], tfoot[hidden], tr[hidden]";

/** Answers these quickly in a window. Returns jsdom's own function. */
export function quickenComputedStyle(target: Window & typeof globalThis): typeof getComputedStyle {
  const worked = target.getComputedStyle.bind(target);
  /** jsdom's default display of each element type. */
  const displays = new Map<string, string>();

  function display(element: Element): string {
    const own = ownStyle(element, "display");
    if (own) return own;
    const kind = [element.namespaceURI, element.localName, ...["hidden", "open", "popover", "type"].map((name) => element.getAttribute(name) ?? "-")].join(" ");
    const known = displays.get(kind) ?? worked(element).display;
    displays.set(kind, known);
    return known;
  }

  target.getComputedStyle = (element, pseudo) => {
    if (pseudo || target.document.styleSheets.length > 0 || element.closest(collapsing)) return worked(element, pseudo);
    const cheap: Record<string, () => string> = {
      display: () => display(element),
      visibility: () => inherited(element, "visibility") || "visible",
      pointerEvents: () => inherited(element, "pointer-events") || "auto",
      "pointer-events": () => inherited(element, "pointer-events") || "auto",
    };
    let rest: CSSStyleDeclaration | undefined;
    const whole = () => (rest ??= worked(element));
    const read = (name: string) => cheap[name]?.() ?? whole().getPropertyValue(name);
    return new Proxy({} as CSSStyleDeclaration, {
      get(_, name) {
        if (name === "getPropertyValue") return read;
        if (typeof name === "string" && cheap[name]) return cheap[name]();
        const value: unknown = Reflect.get(whole(), name);
        return typeof value === "function" ? value.bind(whole()) : value;
      },
    });
  };
  return worked;
}

function ownStyle(element: Element, property: string): string {
  return element.hasAttribute("style") && "style" in element ? (element.style as CSSStyleDeclaration).getPropertyValue(property) : "";
}

/** The value from the nearest element that sets it. */
function inherited(element: Element, property: string): string {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const said = ownStyle(at, property);
    if (said && said !== "inherit" && said !== "unset") return said;
  }
  return "";
}
