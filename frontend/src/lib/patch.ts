// A change as a patch, for other programs.

import type { DiffRow } from "./diff";

const signs = { add: "+", remove: "-", same: " " };

/** The rows of one file's diff as a unified diff. Hunks at an unknown place start at line 1. */
export function patchOf(rows: readonly DiffRow[], path: string): string {
  const out: string[] = [`--- a/${path.replace(/^\//, "")}`, `+++ b/${path.replace(/^\//, "")}`];
  let hunk: DiffRow[] = [];
  const end = () => {
    if (hunk.length === 0) return;
    const span = (side: "oldLine" | "newLine", other: DiffRow["kind"]) => {
      const lines = hunk.filter((row) => row.kind !== other && row.kind !== "gap");
      const first = lines[0]?.[side] ?? 1;
      return lines.length === 0 ? "0,0" : `${first},${lines.length}`;
    };
    out.push(`@@ -${span("oldLine", "add")} +${span("newLine", "remove")} @@`);
    out.push(...hunk.map((row) => (row.kind === "gap" ? `\\ ${row.text}` : signs[row.kind] + row.text)));
    hunk = [];
  };
  for (const row of rows) {
    // A gap with text says that a file does not end with a newline.
    if (row.kind === "gap" && row.text === "") end();
    else hunk.push(row);
  }
  end();
  return `${out.join("\n")}\n`;
}
