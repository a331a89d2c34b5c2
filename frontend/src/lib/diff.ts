// Converts file changes to rows for display. The CLI provides patches for completed changes; for proposed ones there
// are only the old and the new text, compared here.

import { diffWordsWithSpace, structuredPatch } from "diff";

export interface DiffRow {
  kind: "add" | "remove" | "same" | "gap";
  /** Line numbers, null if the line does not exist on that side. */
  oldLine: number | null;
  newLine: number | null;
  text: string;
}

/** One hunk of a patch from the CLI; each line starts with "+", "-" or " ". */
export interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** The comparison stops here: long texts with little in common are too expensive. */
const MOST_EDITS = 4000;
const TIMEOUT_MS = 200;

/** The rows of a patch, with a gap row between hunks. */
export function patchRows(hunks: readonly Hunk[]): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const hunk of hunks) {
    if (rows.length > 0) rows.push({ kind: "gap", oldLine: null, newLine: null, text: "" });
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith("+")) rows.push({ kind: "add", oldLine: null, newLine: newLine++, text });
      else if (line.startsWith("-")) rows.push({ kind: "remove", oldLine: oldLine++, newLine: null, text });
      // "\ No newline at end of file" has no line number.
      else if (line.startsWith("\\")) rows.push({ kind: "gap", oldLine: null, newLine: null, text: line.slice(2) });
      else rows.push({ kind: "same", oldLine: oldLine++, newLine: newLine++, text });
    }
  }
  return rows;
}

/**
 * The differences between two texts, including every changed line. If numbers is false, the texts are an excerpt at an
 * unknown place, so the rows have no line numbers.
 */
export function textRows(before: string, after: string, numbers: boolean): DiffRow[] {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: 3,
    maxEditLength: MOST_EDITS,
    timeout: TIMEOUT_MS,
  });
  const rows = patch ? patchRows(patch.hunks.map(trueStart)) : replacement(before, after);
  const known = rows.filter((row) => row.kind !== "gap" || row.text === "");
  return numbers ? known : known.map((row) => ({ ...row, oldLine: null, newLine: null }));
}

// In a patch, an empty side starts one line earlier than its position.
function trueStart(hunk: { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] }): Hunk {
  return {
    oldStart: hunk.oldStart + (hunk.oldLines === 0 ? 1 : 0),
    newStart: hunk.newStart + (hunk.newLines === 0 ? 1 : 0),
    lines: hunk.lines,
  };
}

function replacement(before: string, after: string): DiffRow[] {
  const lines = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
  return [
    ...lines(before).map((text, i): DiffRow => ({ kind: "remove", oldLine: i + 1, newLine: null, text })),
    ...lines(after).map((text, i): DiffRow => ({ kind: "add", oldLine: null, newLine: i + 1, text })),
  ];
}

/** The numbers of added and removed lines. */
export function countChanges(rows: readonly DiffRow[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const row of rows) {
    if (row.kind === "add") added++;
    else if (row.kind === "remove") removed++;
  }
  return { added, removed };
}

/** A row of two columns. Unchanged lines and gaps are in both. */
export interface DiffPair {
  left: DiffRow | null;
  right: DiffRow | null;
}

/** The rows in two columns: removed lines beside their replacements. */
export function sideBySide(rows: readonly DiffRow[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  for (const { same, removed, added } of blocks(rows)) {
    if (same) pairs.push({ left: same, right: same });
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      pairs.push({ left: removed[i] ?? null, right: added[i] ?? null });
    }
  }
  return pairs;
}

interface ChangeBlock {
  same: DiffRow | null;
  removed: DiffRow[];
  added: DiffRow[];
}

function* blocks(rows: readonly DiffRow[]): Generator<ChangeBlock> {
  let block: ChangeBlock = { same: null, removed: [], added: [] };
  for (const row of rows) {
    if (row.kind === "remove") {
      if (block.added.length > 0) {
        yield block;
        block = { same: null, removed: [], added: [] };
      }
      block.removed.push(row);
    } else if (row.kind === "add") {
      block.added.push(row);
    } else {
      yield block;
      yield { same: row, removed: [], added: [] };
      block = { same: null, removed: [], added: [] };
    }
  }
  yield block;
}

/** A changed range of a line, in UTF-16 units. */
export type Mark = [from: number, to: number];

// Longer lines, and lines beyond the maximum, are not compared word by word.
const MOST_WORDS = 600;
const MOST_COMPARED = 300;

/** The changes within lines that were replaced by similar ones. */
export function wordMarks(rows: readonly DiffRow[]): Map<DiffRow, Mark[]> {
  const marks = new Map<DiffRow, Mark[]>();
  let compared = 0;
  for (const { removed, added } of blocks(rows)) {
    if (removed.length !== added.length) continue;
    for (const [i, before] of removed.entries()) {
      const after = added[i];
      if (!after || before.text.length > MOST_WORDS || after.text.length > MOST_WORDS || compared++ > MOST_COMPARED) continue;
      const [left, right]: [Mark[], Mark[]] = [[], []];
      let [a, b, kept] = [0, 0, 0];
      for (const part of diffWordsWithSpace(before.text, after.text)) {
        const { length } = part.value;
        if (part.removed) left.push([a, (a += length)]);
        else if (part.added) right.push([b, (b += length)]);
        else {
          kept += part.value.trim().length;
          a += length;
          b += length;
        }
      }
      // Lines with little in common are separate, not a change of one.
      if (kept * 3 < Math.max(before.text.trim().length, after.text.trim().length)) continue;
      marks.set(before, left);
      marks.set(after, right);
    }
  }
  return marks;
}
