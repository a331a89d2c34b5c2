// What a tool's line says after its object: how much came of it.

import type { Tool } from "../../host/border.gen";
import { countChanges, type Hunk, patchRows, textRows, type DiffRow } from "../../lib/diff";
import { field, listField, numberField, textField } from "../../lib/shape";
import { plural } from "../../lib/time";

/** The text of a result, its parts joined. */
export function resultText(tool: Tool): string {
  return (tool.content ?? [])
    .filter((part) => part.type === "text")
    .map((part) => part.text ?? "")
    .join("\n");
}

/** The patch of an Edit or Write result, or of what an Edit asks for; null when there is none. */
export function changeRows(tool: Tool): DiffRow[] | null {
  const hunks = listField(tool.structured, "structuredPatch").filter(isHunk);
  if (hunks.length > 0) return patchRows(hunks);
  if (tool.name !== "Edit") return null;
  const before = textField(tool.input, "old_string");
  const after = textField(tool.input, "new_string");
  return before === "" && after === "" ? null : textRows(before, after, false);
}

function isHunk(value: unknown): value is Hunk {
  return (
    numberField(value, "oldStart") !== null &&
    numberField(value, "newStart") !== null &&
    listField(value, "lines").every((line) => typeof line === "string")
  );
}

/** The exit code of a command that failed, null when it is not said. */
export function exitCode(tool: Tool): number | null {
  const match = /\bexit code:? (\d{1,3})\b/i.exec(resultText(tool).slice(0, 400));
  return match ? Number(match[1]) : null;
}

/** The note of a tool that has ended, "" for none. */
export function toolNote(tool: Tool): string {
  const { structured } = tool;
  switch (tool.name) {
    case "Bash": {
      if (textField(structured, "backgroundTaskId") !== "") return "in the background";
      const code = tool.state === "error" ? exitCode(tool) : null;
      return code === null ? "" : `exit ${code}`;
    }
    case "Edit":
    case "Write": {
      const rows = tool.state === "done" ? changeRows(tool) : null;
      if (!rows) return tool.name === "Write" && tool.state === "done" ? written(tool) : "";
      const { added, removed } = countChanges(rows);
      return [added && `+${added}`, removed && `−${removed}`].filter(Boolean).join(" ");
    }
    case "Read": {
      const lines = numberField(field(structured, "file"), "numLines");
      return lines === null ? "" : plural(lines, "line");
    }
    case "Glob": {
      const files = numberField(structured, "numFiles");
      return files === null ? "" : plural(files, "file");
    }
    case "Grep": {
      const matches = numberField(structured, "numMatches");
      if (matches !== null) return plural(matches, "match", "matches");
      const lines = numberField(structured, "numLines");
      if (lines !== null && textField(structured, "mode") === "content") return plural(lines, "line");
      const files = numberField(structured, "numFiles");
      return files === null ? "" : plural(files, "file");
    }
    case "TodoWrite": {
      const todos = listField(tool.input, "todos");
      const done = todos.filter((todo) => textField(todo, "status") === "completed").length;
      return todos.length === 0 ? "" : `${done} of ${todos.length}`;
    }
    case "Task":
    case "Agent": {
      const uses = numberField(structured, "totalToolUseCount");
      if (textField(structured, "status") === "async_launched") return "in the background";
      return uses === null ? "" : plural(uses, "step");
    }
    default:
      return "";
  }
}

function written(tool: Tool): string {
  const content = textField(tool.input, "content");
  return content === "" ? "empty" : plural(content.replace(/\n$/, "").split("\n").length, "line");
}
