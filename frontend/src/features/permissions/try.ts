// A hypothetical tool call.

import type { RuleTestParams } from "../../host/border.gen";

/** The tools with their own field, and its name in the tool's input. */
export const fields = { Bash: "command", Read: "file_path", Edit: "file_path", Write: "file_path", WebFetch: "url" } as const;
export const tools = Object.keys(fields) as (keyof typeof fields)[];

export type Field = (typeof fields)[keyof typeof fields] | "json";

export interface Trial {
  /** One of tools, or "" for another, given by name. */
  tool: keyof typeof fields | "";
  name: string;
  /** The value of the field. */
  value: string;
  /** "session:" with an id, or "folder:" with a path. */
  place: string;
}

export const fieldOf = (trial: Pick<Trial, "tool">): Field => (trial.tool === "" ? "json" : fields[trial.tool]);

/** The test to run, null while nothing is typed, "json" for invalid JSON. */
export function paramsOf(trial: Trial): RuleTestParams | null | "json" {
  const tool = trial.tool || trial.name.trim();
  if (tool === "" || trial.place === "" || (trial.tool !== "" && trial.value.trim() === "")) return null;
  const input = trial.tool === "" ? parse(trial.value) : { [fields[trial.tool]]: trial.value, ...rest(trial.tool) };
  if (input === undefined) return "json";
  const at = trial.place.indexOf(":");
  const where = trial.place.slice(at + 1);
  return { tool, input, ...(trial.place.startsWith("session:") ? { sessionId: where } : { cwd: where }) };
}

/** The other required fields of the tool's input. */
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
