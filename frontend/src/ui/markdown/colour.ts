// The result of code highlighting: runs of text, each of one kind. Plain numbers, which transfer from a worker at no
// cost, and no markup, so that nothing has to be trusted.

/** The kinds of text with their own color. A kind's number is its index; 0 is plain. */
export const kinds = [
  "", "keyword", "string", "comment", "number", "title", "type", "attribute", "literal", "meta", "tag", "variable", "regexp",
  "addition", "deletion", "heading", "strong", "emphasis",
] as const;

type Kind = (typeof kinds)[number];

/** Pairs of length (in UTF-16 units) and kind, for the whole text. */
export type Runs = Uint32Array;

// highlight.js names its tokens by scopes, "title.function" or "char.escape".
const byScope: Record<string, Kind> = {
  keyword: "keyword", "template-tag": "keyword", doctag: "keyword", operator: "", punctuation: "",
  string: "string", char: "string", "char.escape": "regexp", subst: "", symbol: "literal", bullet: "literal", link: "string", quote: "comment",
  code: "string", formula: "string", comment: "comment", number: "number", title: "title", "title.class": "type", type: "type", built_in: "type", class: "type",
  attr: "attribute", attribute: "attribute", property: "attribute", "selector-attr": "attribute", literal: "literal", meta: "meta",
  "meta.prompt": "meta", tag: "", name: "tag", "selector-tag": "tag", "selector-id": "title", "selector-class": "title", "selector-pseudo": "keyword",
  variable: "variable", "variable.language": "keyword", "variable.constant": "literal", "template-variable": "variable", params: "",
  regexp: "regexp", addition: "addition", deletion: "deletion", section: "heading", strong: "strong", emphasis: "emphasis",
};

/** The number of the kind for a scope. */
export function kindOf(scope: string): number {
  const kind = byScope[scope] ?? byScope[scope.slice(0, Math.max(0, scope.indexOf(".")))] ?? "";
  return kinds.indexOf(kind);
}

/** Splits the runs by consecutive pieces of a text. */
export class RunReader {
  readonly #runs: Runs;
  #at = 0;
  #used = 0;

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  /** The runs of the next piece, given its length. */
  take(length: number): [length: number, kind: number][] {
    const out: [number, number][] = [];
    let left = length;
    while (left > 0 && this.#at + 1 < this.#runs.length) {
      const rest = (this.#runs[this.#at] ?? 0) - this.#used;
      const part = Math.min(rest, left);
      if (part > 0) out.push([part, this.#runs[this.#at + 1] ?? 0]);
      left -= part;
      if (part === rest) {
        this.#at += 2;
        this.#used = 0;
      } else this.#used += part;
    }
    return out;
  }
}

/** Adds a highlighted piece of text to an element. */
export function paint(element: HTMLElement, text: string, runs: [length: number, kind: number][]): void {
  const parts = document.createDocumentFragment();
  let at = 0;
  for (const [length, kind] of runs) {
    const words = text.slice(at, at + length);
    at += length;
    if (kind === 0) {
      parts.append(words);
      continue;
    }
    const span = document.createElement("span");
    span.dataset["code"] = kinds[kind] ?? "";
    span.textContent = words;
    parts.append(span);
  }
  if (at < text.length) parts.append(text.slice(at));
  element.replaceChildren(parts);
}
