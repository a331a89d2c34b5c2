// Describes the CLI's tools in plain words, for tool cards and permission requests.

import type { Tool } from "../host/border.gen";
import { text } from "../i18n";
import { cronWords } from "./cron";
import type { Description, Verb } from "./description";
import { describeOwnTool } from "./own-tools";
import { field, listField, numberField, oneLine, textField } from "./shape";

// Tool names in other versions of the CLI.
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

/** The canonical name of a tool, whatever the CLI's version calls it. */
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

/** A tool's display name: "Bash", "github · create issue". */
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

// The input members that best describe a call, by kind of tool; a leading "=" marks code, "~" marks the CLI's
// identifiers, which are shown as words.
const objects: Record<string, string> = {
  Agent: "description", Artifact: "title", Bash: "=command", ClaudeDesign: "~operation", CronDelete: "=id", EnterWorktree: "=name", ListMcpResources: "server",
  Monitor: "description", Projects: "~method", ProposeGoal: "condition", PushNotification: "message", ReadMcpResource: "=uri", ReadMcpResourceDir: "=uri",
  RefreshMcpTools: "server", RemoteTrigger: "~action", ScheduleWakeup: "reason", SendFeedback: "title", SendMessage: "to", Skill: "skill", SlashCommand: "=command",
  TaskCreate: "subject", TaskGet: "taskId", TaskOutput: "=task_id", TaskStop: "=task_id", TaskUpdate: "taskId", WebFetch: "url", WebSearch: "query",
  Workflow: "name", BashOutput: "=bash_id", KillShell: "=shell_id",
};

/** Describes a tool call. Paths inside the folder are shown relative to it. */
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

/** A path relative to the folder, or unchanged if it is outside. */
export function shortPath(path: string, cwd: string): string {
  if (cwd === "" || cwd === "/") return path;
  if (path === cwd) return ".";
  const next = path.charAt(cwd.length);
  return path.startsWith(cwd) && (next === "/" || next === "\\") ? path.slice(cwd.length + 1) : path;
}

const PARTIAL_MOST = 4000;

/** The string members of incomplete JSON, the last one as far as it goes; only the beginning of long input. */
export function partialInput(written: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, key, value] of written.slice(0, PARTIAL_MOST).matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*)/g)) {
    if (!key || !value || key in found) continue;
    try {
      found[key] = String(JSON.parse(`${value}"`));
    } catch {
      // Not JSON: the complete input will tell.
    }
  }
  return found;
}

/** One question from Claude, with its options. */
export interface AskedQuestion {
  question: string;
  header: string;
  multiSelect: boolean;
  options: { label: string; description: string; preview: string }[];
}

/** The questions of an AskUserQuestion call; those without text or options are skipped. */
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

/** The verb for a finished tool: what it did or did not do, before the object. */
export function endedVerb(tool: Pick<Tool, "name" | "state" | "input">, { doing, done, base }: Verb): string {
  const words = text().tools;
  switch (tool.state) {
    case "stopped":
      return words.stopped(doing, base);
    case "notRun":
      // A question that was shown was asked, even if nobody answered it.
      return asksPerson(tool) ? done : words.notRun(base);
    case "cutOff":
      return words.cutOff(doing, base);
    default:
      return done;
  }
}

/** Why a tool did not run, or that it may have; "" if its outcome is known. */
export function doubt(tool: Pick<Tool, "name" | "state" | "input" | "reason">): string {
  const words = text().tools;
  if (tool.state === "cutOff") return words.mayHaveRun;
  if (tool.state !== "notRun") return "";
  const names: Record<string, string> = words.reasons;
  const reason = asksPerson(tool) && tool.reason !== "denied" ? "unanswered" : (tool.reason ?? "");
  return names[reason] ?? reason;
}

/** The tool's work is asking the user. */
function asksPerson(tool: Pick<Tool, "name" | "input">): boolean {
  return ["ExitPlanMode", "AskUserQuestion"].includes(toolKind(tool.name)) && tool.input !== undefined;
}
