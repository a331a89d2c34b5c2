// Search results by file.

import { textField, textsField } from "../../lib/shape";

export interface FileHits {
  path: string;
  /** The number of hits in it, null if unknown. */
  count: number | null;
  lines: { line: number; text: string; hit: boolean }[];
}

// The rest is not parsed; the tool's text has it.
const MOST_LINES = 5000;

/** The files of a Glob or Grep result, null if the result is only text. */
export function hitsOf(structured: unknown): FileHits[] | null {
  const content = textField(structured, "content");
  if (textField(structured, "mode") === "count") return counts(content);
  if (content !== "") return grouped(content);
  const names = textsField(structured, "filenames");
  return names.length === 0 ? null : names.map((path) => ({ path, count: null, lines: [] }));
}

function counts(content: string): FileHits[] | null {
  const files = content.split("\n", MOST_LINES).flatMap((line) => {
    const found = /^(.+):(\d+)$/.exec(line);
    return found ? [{ path: found[1] ?? "", count: Number(found[2]), lines: [] }] : [];
  });
  return files.length > 0 ? files : null;
}

// "path:12:text" is a hit, "path-13-text" a context line; a path may contain both separators.
function grouped(content: string): FileHits[] | null {
  const files = new Map<string, FileHits>();
  let other = 0;
  for (const line of content.split("\n", MOST_LINES)) {
    if (line === "" || line === "--") continue;
    const hit = /^(.+?):(\d+):(.*)$/.exec(line);
    const known = hit ? null : [...files.keys()].find((path) => line.startsWith(`${path}-`));
    const beside = known === undefined || known === null ? null : /^(\d+)-(.*)$/.exec(line.slice(known.length + 1));
    const path = hit?.[1] ?? (beside ? known : null);
    if (path === null || path === undefined) {
      other++;
      continue;
    }
    const file = files.get(path) ?? { path, count: 0, lines: [] };
    files.set(path, file);
    if (hit) file.count = (file.count ?? 0) + 1;
    file.lines.push({ line: Number(hit?.[2] ?? beside?.[1]), text: hit?.[3] ?? beside?.[2] ?? "", hit: hit !== null });
  }
  // Results for a single file lack its name, and some outputs have another format altogether.
  return files.size > 0 && other * 4 < content.split("\n", MOST_LINES).length ? [...files.values()] : null;
}
