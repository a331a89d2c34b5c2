// The parts of a plan that a user may comment on.

import { isList, lex, type Links } from "../../ui/markdown/dialect";

/** A user's comment on a part. */
export interface Comment {
  /** The index of the part. */
  part: number;
  text: string;
}

/** Beyond this many parts, the rest is one part: nobody comments on a thousand lines. */
const MOST = 400;
const EXCERPT = 80;

/** The sources of the parts: top-level blocks and list items. Link definitions are added to every part that needs them. */
export function partsOf(plan: string): string[] {
  const links: Links = Object.create(null) as Links;
  const tokens = lex(plan, links);
  const definitions = tokens.filter((t) => t.type === "def").map((t) => t.raw.trim());
  const parts = tokens.flatMap((token) => {
    if (token.type === "space" || token.type === "def") return [];
    return isList(token) ? token.items.map((item) => item.raw) : [token.raw];
  });
  if (parts.length > MOST) return [plan];
  // A definition at the end renders nothing.
  return parts.map((part) => (definitions.length > 0 && part.includes("[") ? `${part.trimEnd()}\n\n${definitions.join("\n")}` : part));
}

/** The message to Claude: each comment with the text it refers to, then the general feedback. */
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
