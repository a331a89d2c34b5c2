// The note after the object on a tool's line: how much it produced.

import type { Task, Tool } from "../../host/border.gen";
import { text } from "../../i18n";
import { countChanges, type DiffRow, type Hunk, patchRows, textRows } from "../../lib/diff";
import { field, listField, numberField, textField } from "../../lib/shape";
import { formatTokens } from "../../lib/time";
import { toolKind } from "../../lib/tools";
import { hitsOf } from "./hits";

/** The text of a result, with its parts joined. */
export function resultText(tool: Tool): string {
  return (tool.content ?? [])
    .filter((part) => part.type === "text")
    .map((part) => unmarked(part.text ?? ""))
    .join("\n");
}

/** A result's text without the tags that the CLI puts around errors for the model; the card shows that it is one. */
export function unmarked(words: string): string {
  return words.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1");
}

const GAP: DiffRow = { kind: "gap", oldLine: null, newLine: null, text: "" };

/** The diff that a result reports or the input proposes; null for none. */
export function changeRows(tool: Tool): DiffRow[] | null {
  const hunks = listField(tool.structured, "structuredPatch").filter(isHunk);
  if (hunks.length > 0) return patchRows(hunks);
  const kind = toolKind(tool.name);
  const edits = kind === "Edit" ? [tool.input] : kind === "MultiEdit" ? listField(tool.input, "edits") : [];
  if (kind === "NotebookEdit") return cellRows(tool);
  const rows = edits.flatMap((edit) => {
    const before = textField(edit, "old_string");
    const after = textField(edit, "new_string");
    return before === "" && after === "" ? [] : [{ ...GAP }, ...textRows(before, after, false)];
  });
  return rows.length === 0 ? null : rows.slice(1);
}

// Only the result has a cell's previous content.
function cellRows(tool: Tool): DiffRow[] | null {
  const before = field(tool.structured, "old_source");
  if (typeof before !== "string") return null;
  return textRows(before, textField(tool.input, "edit_mode") === "delete" ? "" : textField(tool.input, "new_source"), false);
}

function isHunk(value: unknown): value is Hunk {
  return (
    numberField(value, "oldStart") !== null &&
    numberField(value, "newStart") !== null &&
    listField(value, "lines").every((line) => typeof line === "string")
  );
}

/** The exit code of a failed command, null if unknown. */
export function exitCode(tool: Tool): number | null {
  const match = /\bexit code:? (\d{1,3})\b/i.exec(resultText(tool).slice(0, 400));
  return match ? Number(match[1]) : null;
}

/** Whether the CLI truncated an output and added a line that says so. */
export function wasCut(output: string): boolean {
  return /\[\d+ (?:characters|lines) truncated\]|\.\.\. \[\d+ lines truncated\] \.\.\./.test(output);
}

/** Whether a result explains why the tool did not do its work. */
export const saysWhy = (tool: Tool): boolean => tool.state === "error" || tool.state === "notRun";

/** The note of a tool whose background task is running. */
export function taskNote(task: Task): string {
  const words = text().tools;
  return [task.lastTool, task.toolUses ? words.steps(task.toolUses) : "", task.totalTokens ? words.tokens(formatTokens(task.totalTokens)) : ""].filter(Boolean).join(" · ");
}

/** The note of a finished tool, "" for none. */
export function toolNote(tool: Tool): string {
  const words = text().tools;
  const { structured } = tool;
  const counted = (n: number | null, say: (n: number) => string) => (n === null ? "" : say(n));
  const listed = (key: string, say: (n: number) => string) => (Array.isArray(field(structured, key)) ? say(listField(structured, key).length) : "");
  switch (toolKind(tool.name)) {
    case "Bash": {
      if (textField(structured, "backgroundTaskId") !== "") return words.inBackground;
      return counted(tool.state === "error" ? exitCode(tool) : null, words.exit);
    }
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
    case "Write": {
      const rows = tool.state === "done" ? changeRows(tool) : null;
      if (!rows) return tool.name === "Write" && tool.state === "done" ? written(tool) : "";
      const { added, removed } = countChanges(rows);
      return [added && `+${added}`, removed && `−${removed}`].filter(Boolean).join(" ");
    }
    case "Read": {
      const file = field(structured, "file");
      if (textField(structured, "type") === "parts") return counted(numberField(file, "count"), words.pages);
      return Array.isArray(field(file, "cells")) ? words.cells(listField(file, "cells").length) : counted(numberField(file, "numLines"), words.lines);
    }
    case "Glob":
      return counted(numberField(structured, "numFiles"), words.files);
    case "Grep": {
      const matches = numberField(structured, "numMatches");
      if (matches !== null) return words.matches(matches);
      const lines = numberField(structured, "numLines");
      if (lines !== null && textField(structured, "mode") === "content") return words.lines(lines);
      return counted(numberField(structured, "numFiles") ?? hitsOf(structured)?.length ?? null, words.files);
    }
    case "WebSearch":
      return counted(listField(structured, "results").flatMap((result) => listField(result, "content")).length || null, words.results);
    case "TodoWrite": {
      if (tool.state !== "done") return "";
      const todos = listField(tool.input, "todos");
      const done = todos.filter((todo) => textField(todo, "status") === "completed").length;
      return todos.length === 0 ? "" : words.todosDone(done, todos.length);
    }
    case "TaskList":
      return listed("tasks", words.tasks);
    case "TaskUpdate": {
      if (tool.state !== "done") return "";
      const change = field(structured, "statusChange");
      const names: Record<string, string> = words.todoStates;
      const name = (id: string) => names[id] ?? id;
      return change ? words.statusChange(name(textField(change, "from")), name(textField(change, "to"))) : (names[textField(tool.input, "status")] ?? "");
    }
    case "CronList":
      return listed("jobs", words.jobs);
    case "ReportFindings":
      return tool.state === "done" ? words.findings(listField(tool.input, "findings").length) : "";
    case "ListMcpResources":
      return Array.isArray(structured) ? words.resources((structured as unknown[]).length) : "";
    case "ReadMcpResourceDir":
      return listed("resources", words.resources);
    case "Monitor":
    case "Workflow":
      return tool.state === "done" ? words.inBackground : "";
    case "Agent": {
      if (textField(structured, "status") === "async_launched") return words.inBackground;
      const tokens = numberField(structured, "totalTokens");
      return [counted(numberField(structured, "totalToolUseCount"), words.steps), tokens ? words.tokens(formatTokens(tokens)) : ""].filter(Boolean).join(" · ");
    }
    default:
      return "";
  }
}

function written(tool: Tool): string {
  const content = textField(tool.input, "content");
  return content === "" ? text().tools.empty : text().tools.lines(content.replace(/\n$/, "").split("\n").length);
}
