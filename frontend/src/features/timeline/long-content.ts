// Protects the page from content too long to render: strings beyond a limit are cut before anything processes them, and
// can be read in slices.

import { unwrap } from "solid-js/store";
import type { Block, Tool } from "../../host/border.gen";

/** A longer string is not lexed, highlighted or laid out at once. */
export const longLength = 200_000;
/** The length shown of one. */
const beginning = 2000;
/** The maximum number of values examined in a tool's input or result. */
const most = 20_000;

/** A string that is too long, and where it was found. */
export interface Long {
  /** The name of the field, "" for none. */
  name: string;
  text: string;
}

/** A tool without its overlong strings, and those strings. Returns the tool itself if there are none. */
export function cutTool(tool: Tool): { tool: Tool; long: readonly Long[] } {
  const long: Long[] = [];
  const budget = { left: most };
  // Tracks only the values that events replace as a whole; their content is read untracked.
  const input = cut(tool.input, "input", long, budget);
  const structured = cut(tool.structured, "", long, budget);
  const content = cut(tool.content, "", long, budget);
  const inputText = (tool.inputText?.length ?? 0) > longLength ? cut(tool.inputText, "input", long, budget) : undefined;
  if (long.length === 0) return { tool, long };
  const shown = { ...unwrap(tool), state: tool.state, input, structured, content } as Tool;
  if (inputText !== undefined) shown.inputText = inputText as string;
  return { tool: shown, long: distinct(long) };
}

/** Whether a text block is too long for normal rendering. */
export function isLongContent(block: Block): boolean {
  return (block.text?.length ?? 0) > longLength;
}

function cut(value: unknown, name: string, long: Long[], budget: { left: number }): unknown {
  if (typeof value === "string") {
    if (value.length <= longLength) return value;
    long.push({ name, text: value });
    return `${value.slice(0, beginning)}…`;
  }
  if (typeof value !== "object" || value === null || --budget.left < 0) return value;
  const plain = unwrap(value);
  const before = long.length;
  if (Array.isArray(plain)) {
    const parts = plain.map((part) => cut(part, name, long, budget));
    return long.length > before ? parts : value;
  }
  // An image may be that long.
  if ("data" in plain && "type" in plain && plain.type === "image") return value;
  const fields = Object.entries(plain).map(([key, field]) => [key, cut(field, key === "text" ? name : key, long, budget)]);
  return long.length > before ? Object.fromEntries(fields) : value;
}

/** The model's version and the CLI's stored version often contain the same text. */
function distinct(long: readonly Long[]): readonly Long[] {
  return long.filter((one, i) => long.findIndex((other) => other.text === one.text) === i);
}
