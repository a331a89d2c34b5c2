// The user's colors and sizes: a file of custom properties. The browser parses it, and only values of known tokens with
// the right type are used. A file can't load anything, but its colors can make text unreadable: the back end returns
// only what the user accepted.

type Kind = "color" | "size" | "font" | "number" | "time";

const kinds: Record<string, Kind> = {
  ...kind("color", "bg bg-raised bg-sunken bg-hover bg-active line line-strong text text-dim text-faint"),
  ...kind("color", "accent accent-hover accent-text accent-soft ok ok-soft warning warning-soft critical critical-soft info info-soft"),
  ...kind("color", "code-bg code-keyword code-string code-comment code-number code-title code-type code-deletion scrim"),
  ...kind("font", "font mono"),
  ...kind("size", "text-xs text-sm text-md text-lg text-code space-1 space-2 space-3 space-4 space-5 space-6 space-7 space-8"),
  ...kind("size", "space-1-half space-row edge size-2 size-3 size-3-half size-4 size-6 size-7 size-8 size-9 size-12"),
  ...kind("size", "radius-1 radius-2 radius-3 radius-4 radius-inner radius-round measure"),
  ...kind("number", "leading leading-tight"),
  ...kind("time", "fast slow"),
};

function kind(what: Kind, names: string): Record<string, Kind> {
  return Object.fromEntries(names.split(" ").map((name) => [`--${name}`, what]));
}

/** The tokens a file may set. */
export const tokenNames: readonly string[] = Object.keys(kinds);

/** A property that must accept a value of each kind. */
const properties: Record<Kind, string> = {
  color: "color",
  size: "width",
  font: "font-family",
  number: "line-height",
  time: "transition-duration",
};

/** The selectors under which a token may be set, and where each applies. */
const places: Record<string, string> = {
  ":root": ":root:root:root",
  ':root[data-theme="light"]': ':root:root:root[data-theme="light"]',
  ':root[data-theme="dark"]': ':root:root:root[data-theme="dark"]',
};

export interface OwnStyles {
  /** CSS rules from the accepted values, "" for none. */
  css: string;
  /** How many values were accepted. */
  taken: number;
  /** What was rejected and why, at most 20. */
  problems: { what: string; why: "place" | "token" | "value" }[];
}

const mostProblems = 20;

export interface Browser {
  /** The rules of a style sheet, parsed. */
  parse(text: string): readonly CSSRule[];
  supports(property: string, value: string): boolean;
}

const browser: Browser = {
  parse(text) {
    const sheet = new CSSStyleSheet();
    // replaceSync ignores every @import.
    sheet.replaceSync(text);
    return [...sheet.cssRules];
  },
  supports: (property, value) => CSS.supports(property, value),
};

/** Extracts the tokens from the text of a file. */
export function readOwnStyles(text: string, { parse, supports }: Browser = browser): OwnStyles {
  const problems: OwnStyles["problems"] = [];
  const tell = (what: string, why: "place" | "token" | "value") => {
    if (problems.length < mostProblems) problems.push({ what: what.slice(0, 80), why });
  };
  const out: string[] = [];
  let taken = 0;
  for (const rule of parse(text)) {
    const selector = rule instanceof CSSStyleRule ? rule.selectorText.replaceAll("'", '"') : "";
    const place = places[selector];
    if (!(rule instanceof CSSStyleRule) || place === undefined) {
      tell(selector || rule.cssText, "place");
      continue;
    }
    const good: string[] = [];
    for (const name of rule.style) {
      const value = rule.style.getPropertyValue(name).trim();
      const what = kinds[name];
      if (what === undefined) tell(name, "token");
      else if (!isValue(value) || !supports(properties[what], value)) tell(`${name}: ${value}`, "value");
      else good.push(`${name}: ${value};`);
    }
    taken += good.length;
    if (good.length > 0) out.push(`${place} { ${good.join(" ")} }`);
  }
  return { css: out.join("\n"), taken, problems };
}

/** Literal values only: nothing that loads, and nothing that refers to something else. */
function isValue(value: string): boolean {
  return value.length <= 400 && !/[;{}\\@<]|url|image|src\(|var\(|env\(|attr\(|expression/i.test(value);
}

let sheet: CSSStyleSheet | undefined;

/** Replaces the rules on the page. */
export function showOwnStyles(css: string): void {
  if (!sheet) {
    if (css === "") return;
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  sheet.replaceSync(css);
}
