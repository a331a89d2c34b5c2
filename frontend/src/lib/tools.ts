// What the CLI's tools do, in plain words: for the line of a tool card and for
// the question whether a tool may run.

import { field, listField, numberField, textField, textsField } from "./shape";

/** The words for one kind of work: "editing", "edited", "edit". */
export interface Verb {
  doing: string;
  done: string;
  base: string;
}

export interface Description {
  verb: Verb;
  /** What it is done to: a path, a command, a pattern. "" when there is nothing short to say. */
  object: string;
  /** The object is code and is drawn so. */
  code: boolean;
}

const verb = (base: string, doing: string, done: string): Verb => ({ base, doing, done });

const verbs: Record<string, Verb> = {
  Bash: verb("run", "Running", "Ran"),
  BashOutput: verb("read output", "Reading output", "Read output"),
  KillShell: verb("stop a command", "Stopping a command", "Stopped a command"),
  Read: verb("read", "Reading", "Read"),
  Write: verb("write", "Writing", "Wrote"),
  Edit: verb("edit", "Editing", "Edited"),
  NotebookEdit: verb("edit", "Editing", "Edited"),
  Glob: verb("find files", "Finding files", "Found files"),
  Grep: verb("search for", "Searching for", "Searched for"),
  LS: verb("list", "Listing", "Listed"),
  TodoWrite: verb("update the task list", "Updating the task list", "Updated the task list"),
  AskUserQuestion: verb("ask you", "Asking you", "Asked you"),
  ExitPlanMode: verb("propose a plan", "Proposing a plan", "Proposed a plan"),
  EnterPlanMode: verb("start planning", "Starting to plan", "Started to plan"),
  WebFetch: verb("fetch", "Fetching", "Fetched"),
  web_fetch: verb("fetch", "Fetching", "Fetched"),
  WebSearch: verb("search the web for", "Searching the web for", "Searched the web for"),
  web_search: verb("search the web for", "Searching the web for", "Searched the web for"),
  Task: verb("delegate", "Delegating", "Delegated"),
  Agent: verb("delegate", "Delegating", "Delegated"),
  Skill: verb("use the skill", "Using the skill", "Used the skill"),
};

const using = verb("use", "Using", "Used");

/** The server and tool of an MCP tool's name, null for any other name. */
export function mcpName(name: string): { server: string; tool: string } | null {
  const match = /^mcp__(.+?)__(.+)$/.exec(name);
  if (!match?.[1] || !match[2]) return null;
  return { server: words(match[1]), tool: words(match[2]) };
}

/** A tool's name for a person: "Bash", "create issue (github)". */
export function toolLabel(name: string): string {
  const mcp = mcpName(name);
  return mcp ? `${mcp.tool} (${mcp.server})` : name;
}

// "claude_ai_Linear" reads "claude ai Linear".
function words(name: string): string {
  return name.replaceAll(/[_-]+/g, " ").trim() || name;
}

export function isDelegation(name: string): boolean {
  return name === "Task" || name === "Agent";
}

/** What a tool call is about. Paths inside the folder are shown from there. */
export function describeTool(name: string, input: unknown, cwd: string): Description {
  const known = verbs[name];
  const plain = (object: string): Description => ({ verb: known ?? using, object, code: false });
  const code = (object: string): Description => ({ verb: known ?? using, object, code: true });
  switch (name) {
    case "Bash":
      return code(oneLine(textField(input, "command")));
    case "Read":
    case "Write":
    case "Edit":
      return code(shortPath(textField(input, "file_path"), cwd) + lineRange(name, input));
    case "NotebookEdit":
      return code(shortPath(textField(input, "notebook_path"), cwd));
    case "LS":
      return code(shortPath(textField(input, "path"), cwd));
    case "Glob":
    case "Grep": {
      const path = shortPath(textField(input, "path"), cwd);
      const pattern = oneLine(textField(input, "pattern"));
      return code(path === "" || path === "." ? pattern : `${pattern} in ${path}`);
    }
    case "WebFetch":
    case "web_fetch":
      return plain(textField(input, "url"));
    case "WebSearch":
    case "web_search":
      return plain(oneLine(textField(input, "query")));
    case "Task":
    case "Agent":
      return plain(oneLine(textField(input, "description")));
    case "Skill":
      return plain(textField(input, "skill") || textField(input, "command"));
    case "AskUserQuestion":
    case "ExitPlanMode":
    case "EnterPlanMode":
    case "TodoWrite":
      return plain("");
    default:
      return plain(known ? "" : toolLabel(name));
  }
}

function lineRange(name: string, input: unknown): string {
  if (name !== "Read") return "";
  const offset = numberField(input, "offset");
  const limit = numberField(input, "limit");
  if (offset === null && limit === null) return "";
  const from = Math.max(1, offset ?? 1);
  return limit === null ? `:${from}–` : `:${from}–${from + limit - 1}`;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ⏎ ");
}

/** A path as seen from the folder, whole when it lies outside. */
export function shortPath(path: string, cwd: string): string {
  if (cwd === "" || cwd === "/") return path;
  if (path === cwd) return ".";
  const next = path.charAt(cwd.length);
  return path.startsWith(cwd) && (next === "/" || next === "\\") ? path.slice(cwd.length + 1) : path;
}

const PARTIAL_MOST = 4000;

/** The string members of JSON that is still being written, the last one as far as it goes; the beginning of long input only. */
export function partialInput(text: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, key, value] of text.slice(0, PARTIAL_MOST).matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*)/g)) {
    if (!key || !value || key in found) continue;
    try {
      found[key] = String(JSON.parse(`${value}"`));
    } catch {
      // Not JSON: the whole input will say what it is.
    }
  }
  return found;
}

/** The options of one question that the model asks. */
export interface AskedQuestion {
  question: string;
  header: string;
  multiSelect: boolean;
  options: { label: string; description: string; preview: string }[];
}

/** The questions of an AskUserQuestion call; what has no text or options is left out. */
export function askedQuestions(input: unknown): AskedQuestion[] {
  return listField(input, "questions")
    .map((item) => ({
      question: textField(item, "question"),
      header: textField(item, "header"),
      multiSelect: field(item, "multiSelect") === true,
      options: optionsOf(item),
    }))
    .filter((item) => item.question !== "");
}

function optionsOf(item: unknown): AskedQuestion["options"] {
  return listField(item, "options")
    .map((option) => ({
      label: textField(option, "label"),
      description: textField(option, "description"),
      preview: textField(option, "preview"),
    }))
    .filter((option) => option.label !== "");
}

/** The file names of a result, cut of what is not one. */
export function fileNames(structured: unknown, cwd: string): string[] {
  return textsField(structured, "filenames").map((name) => shortPath(name, cwd));
}
