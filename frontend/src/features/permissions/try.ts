// What is tried out: a use of a tool that nobody asked for.

import type { RuleTestParams } from "../../host/border.gen";

/** The tools that have a field of their own, and its name in the tool's input. */
export const fields = { Bash: "command", Read: "file_path", Edit: "file_path", Write: "file_path", WebFetch: "url" } as const;
export const tools = Object.keys(fields) as (keyof typeof fields)[];

export type Field = (typeof fields)[keyof typeof fields] | "json";

export interface Trial {
  /** One of tools, or "" for the one that is named. */
  tool: keyof typeof fields | "";
  name: string;
  /** What is written into the field. */
  value: string;
  /** "session:" with an id, or "folder:" with a path. */
  place: string;
}

export const fieldOf = (trial: Pick<Trial, "tool">): Field => (trial.tool === "" ? "json" : fields[trial.tool]);

/** What there is to ask, null where nothing is written yet, "json" for what cannot be read. */
export function paramsOf(trial: Trial): RuleTestParams | null | "json" {
  const tool = trial.tool || trial.name.trim();
  if (tool === "" || trial.place === "" || (trial.tool !== "" && trial.value.trim() === "")) return null;
  const input = trial.tool === "" ? parse(trial.value) : { [fields[trial.tool]]: trial.value, ...rest(trial.tool) };
  if (input === undefined) return "json";
  const at = trial.place.indexOf(":");
  const where = trial.place.slice(at + 1);
  return { tool, input, ...(trial.place.startsWith("session:") ? { sessionId: where } : { cwd: where }) };
}

/** What the tool's input has to have besides. */
function rest(tool: string): Record<string, string> {
  if (tool === "Edit") return { old_string: "a", new_string: "b" };
  if (tool === "Write") return { content: "" };
  return tool === "WebFetch" ? { prompt: "" } : {};
}

function parse(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
