// The CLI's suggested rules in plain words. An accepted one applies for the rest of the session; one that can't be
// described is not offered.

import type { OpenQuestion } from "../../host/border.gen";
import { text } from "../../i18n";
import { modeName, modes } from "../../lib/names";
import { field, textField } from "../../lib/shape";
import { toolLabel } from "../../lib/tools";

export interface Suggestion {
  /** Its index in the request's suggestions. */
  index: number;
  /** Its effect beyond allowing this once. */
  label: string;
  /** Its exact targets: commands, paths. */
  exact: string[];
}

/**
 * The suggestions to offer: none if the CLI wants no answer to be remembered. If Parley
 * offers its own rules, only those that are not rules.
 */
export function suggestionsOf(question: OpenQuestion, own = false): Suggestion[] {
  if (question.noRemember) return [];
  return (question.suggestions ?? []).flatMap((raw, index) => {
    if (own && textField(raw, "type") === "addRules") return [];
    const words = describe(raw);
    return words ? [{ index, ...words }] : [];
  });
}

function describe(raw: unknown): Omit<Suggestion, "index"> | null {
  switch (textField(raw, "type")) {
    case "addRules":
      return textField(raw, "behavior") === "allow" ? describeRules(list(raw, "rules")) : null;
    case "addDirectories": {
      const folders = strings(list(raw, "directories"));
      if (!folders) return null;
      return { label: text().approval.suggest.folders(folders.length), exact: folders };
    }
    case "setMode": {
      // One answer must not turn off all checks.
      const mode = modes().find((m) => m.id === textField(raw, "mode"));
      return mode ? { label: text().approval.suggest.mode(modeName(mode.id)), exact: [mode.about] } : null;
    }
    default:
      return null;
  }
}

function describeRules(rules: unknown[]): Omit<Suggestion, "index"> | null {
  const words = text().approval.suggest;
  const tools = strings(rules.map((rule) => textField(rule, "toolName")));
  if (!tools) return null;
  const contents = rules.map((rule) => textField(rule, "ruleContent"));
  const one = new Set(tools).size === 1 ? (tools[0] ?? "") : "";
  if (one && contents.every((c) => c === "")) {
    return { label: one === "Bash" ? words.anyCommand : words.anyUse(toolLabel(one)), exact: [] };
  }
  if (one === "Bash" && contents.every((c) => c !== "")) {
    const begins = contents.map((c) => /^(.+):\*$/s.exec(c)?.[1]);
    if (begins.every((b) => b !== undefined)) return { label: words.begins, exact: begins };
    return { label: contents.some((c) => c.includes("*")) ? words.like : words.commands(contents.length), exact: contents };
  }
  const exact = tools.map((tool, i) => (contents[i] ? `${toolLabel(tool)}: ${contents[i]}` : toolLabel(tool)));
  return { label: words.others, exact };
}

function list(value: unknown, key: string): unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}

/** Null unless all values are strings and there is at least one. */
function strings(values: unknown[]): string[] | null {
  const texts = values.filter((v): v is string => typeof v === "string" && v !== "");
  return texts.length > 0 && texts.length === values.length ? texts : null;
}
