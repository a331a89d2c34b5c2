// The parts of a plan that a user may want to say something about.

import { isList, lex, type Links } from "../../ui/markdown/dialect";

/** What a user says about a part. */
export interface Comment {
  /** The index of the part that it is about. */
  part: number;
  text: string;
}

/** More parts than this are one: nobody comments on a thousand lines. */
const MOST = 400;
const EXCERPT = 80;

/** The sources of the parts: top-level blocks, and each item of a list. Definitions stand in every part that needs them. */
export function partsOf(plan: string): string[] {
  const links: Links = Object.create(null) as Links;
  const tokens = lex(plan, links);
  const definitions = tokens.filter((t) => t.type === "def").map((t) => t.raw.trim());
  const parts = tokens.flatMap((token) => {
    if (token.type === "space" || token.type === "def") return [];
    return isList(token) ? token.items.map((item) => item.raw) : [token.raw];
  });
  if (parts.length > MOST) return [plan];
  // Such a definition is a line at the end, which draws nothing.
  return parts.map((part) => (definitions.length > 0 && part.includes("[") ? `${part.trimEnd()}\n\n${definitions.join("\n")}` : part));
}

/** What the model is told: each comment with what it is about, then what was said of the whole. */
export function changesAsked(plan: string, comments: readonly Comment[], rest: string): string {
  const parts = partsOf(plan);
  const said = [...comments]
    .toSorted((a, b) => a.part - b.part)
    .map((comment) => `About “${excerpt(parts[comment.part] ?? "")}”:\n${comment.text}`);
  return [...said, rest.trim()].filter(Boolean).join("\n\n");
}

function excerpt(part: string): string {
  const line = part.trim().split("\n", 1)[0] ?? "";
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}
