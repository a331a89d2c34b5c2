// What the CLI's tools do, in plain words: for the line of a tool card and for
// the question whether a tool may run.

import type { Tool } from "../host/border.gen";
import { text } from "../i18n";
import { cronWords } from "./cron";
import type { Description, Verb } from "./description";
import { describeOwnTool } from "./own-tools";
import { field, listField, numberField, oneLine, textField } from "./shape";

// Names that other versions of the CLI have for a tool.
const aliases: Record<string, string> = {
  Task: "Agent",
  AgentOutputTool: "TaskOutput",
  BashOutputTool: "BashOutput",
  KillBash: "KillShell",
  ListMcpResourcesTool: "ListMcpResources",
  ReadMcpResourceTool: "ReadMcpResource",
  ReadMcpResourceDirTool: "ReadMcpResourceDir",
  RefreshMcpToolsTool: "RefreshMcpTools",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
};

/** The name that a tool is known by here, whatever the CLI's version calls it. */
export function toolKind(name: string): string {
  return aliases[name] ?? name;
}

function verbOf(kind: string): Verb | undefined {
  const verbs: Record<string, Verb> = text().tools.verbs;
  return Object.hasOwn(verbs, kind) && kind !== "other" ? verbs[kind] : undefined;
}

/** The server and tool of an MCP tool's name, null for any other name. "claude_ai_Linear" is "claude.ai Linear". */
export function mcpName(name: string): { server: string; tool: string } | null {
  const match = /^mcp__(.+?)__(.+)$/.exec(name);
  if (!match?.[1] || !match[2]) return null;
  return { server: spaced(match[1].replace(/^claude_ai_/, "claude.ai ")), tool: spaced(match[2]) };
}

/** A tool's name for a user: "Bash", "github · create issue". */
export function toolLabel(name: string): string {
  const mcp = mcpName(name);
  return mcp ? text().tools.server(mcp.tool, mcp.server) : name;
}

// "project_search" reads "project search".
function spaced(name: string): string {
  return name.replaceAll(/[_-]+/g, " ").trim() || name;
}

export function isDelegation(name: string): boolean {
  return toolKind(name) === "Agent";
}

// The members of an input that say in a few words what it is about, by the kind of
// tool; a leading "=" says that they are code, "~" that they are names of the CLI's
// that are read as words.
const objects: Record<string, string> = {
  Agent: "description", Artifact: "title", Bash: "=command", ClaudeDesign: "~operation", CronDelete: "=id", EnterWorktree: "=name", ListMcpResources: "server",
  Monitor: "description", Projects: "~method", ProposeGoal: "condition", PushNotification: "message", ReadMcpResource: "=uri", ReadMcpResourceDir: "=uri",
  RefreshMcpTools: "server", RemoteTrigger: "~action", ScheduleWakeup: "reason", SendFeedback: "title", SendMessage: "to", Skill: "skill", SlashCommand: "=command",
  TaskCreate: "subject", TaskGet: "taskId", TaskOutput: "=task_id", TaskStop: "=task_id", TaskUpdate: "taskId", WebFetch: "url", WebSearch: "query",
  Workflow: "name", BashOutput: "=bash_id", KillShell: "=shell_id",
};

/** What a tool call is about. Paths inside the folder are shown from there. */
export function describeTool(name: string, input: unknown, cwd: string): Description {
  const { verb, object, code } = described(name, input, cwd);
  return { verb: (object !== "" && verb.of) || verb, object, code };
}

function described(name: string, input: unknown, cwd: string): Description {
  const kind = toolKind(name);
  const known = verbOf(kind);
  const words = (object: string, code = false): Description => ({ verb: known ?? text().tools.verbs.other, object, code });
  switch (kind) {
    case "Read":
    case "Write":
    case "Edit":
    case "MultiEdit":
      return words(shortPath(textField(input, "file_path"), cwd) + lineRange(kind, input), true);
    case "NotebookEdit":
      return words(shortPath(textField(input, "notebook_path"), cwd), true);
    case "LS":
      return words(shortPath(textField(input, "path"), cwd), true);
    case "Glob":
    case "Grep": {
      const path = shortPath(textField(input, "path"), cwd);
      const pattern = oneLine(textField(input, "pattern"));
      return words(path === "" || path === "." ? pattern : text().tools.within(pattern, path), true);
    }
    case "CronCreate":
      return words(cronWords(textField(input, "cron")));
    case "EnterWorktree":
      return words(textField(input, "name") || shortPath(textField(input, "path"), cwd), true);
    case "TaskGet":
    case "TaskUpdate":
      return words([textField(input, "taskId") && `#${textField(input, "taskId")}`, textField(input, "subject")].filter(Boolean).join(" "));
    case "Artifact":
      return words(textField(input, "title") || shortPath(textField(input, "file_path"), cwd) || textField(input, "url") || textField(input, "action"));
    case "Skill":
      return words(textField(input, "skill") || textField(input, "command"));
    case "TaskStop":
      return words(textField(input, "task_id") || textField(input, "shell_id"), true);
    case "ToolSearch":
      return words(oneLine(textField(input, "query")).replace(/^select:\s*/, ""));
    default: {
      if (!known) return describeOwnTool(name, input) ?? words(toolLabel(name));
      const member = Object.hasOwn(objects, kind) ? (objects[kind] ?? "") : "";
      const object = oneLine(textField(input, member.replace(/^[=~]/, "")));
      return words(member.startsWith("~") ? spaced(object) : object, member.startsWith("="));
    }
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

/** A path as seen from the folder, whole when it lies outside. */
export function shortPath(path: string, cwd: string): string {
  if (cwd === "" || cwd === "/") return path;
  if (path === cwd) return ".";
  const next = path.charAt(cwd.length);
  return path.startsWith(cwd) && (next === "/" || next === "\\") ? path.slice(cwd.length + 1) : path;
}

const PARTIAL_MOST = 4000;

/** The string members of JSON that is still being written, the last one as far as it goes; the beginning of long input only. */
export function partialInput(written: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, key, value] of written.slice(0, PARTIAL_MOST).matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*)/g)) {
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

/** What a tool that has ended did or did not do, before what it was done to. */
export function endedVerb(tool: Pick<Tool, "name" | "state" | "input">, { doing, done, base }: Verb): string {
  const words = text().tools;
  switch (tool.state) {
    case "stopped":
      return words.stopped(doing, base);
    case "notRun":
      // A question that was seen was asked, though nobody answered it.
      return asksPerson(tool) ? done : words.notRun(base);
    case "cutOff":
      return words.cutOff(doing, base);
    default:
      return done;
  }
}

/** Why a tool did not run, or that it may have; "" for those of which that is known. */
export function doubt(tool: Pick<Tool, "name" | "state" | "input" | "reason">): string {
  const words = text().tools;
  if (tool.state === "cutOff") return words.mayHaveRun;
  if (tool.state !== "notRun") return "";
  const names: Record<string, string> = words.reasons;
  const reason = asksPerson(tool) && tool.reason !== "denied" ? "unanswered" : (tool.reason ?? "");
  return names[reason] ?? reason;
}

/** Asking the user is what it does. */
function asksPerson(tool: Pick<Tool, "name" | "input">): boolean {
  return ["ExitPlanMode", "AskUserQuestion"].includes(toolKind(tool.name)) && tool.input !== undefined;
}
