// The rules that the CLI would make of an answer, in plain words. Whatever is
// accepted holds for the rest of the session; what cannot be said in plain words is
// not offered.

import type { OpenQuestion } from "../../host/border.gen";
import { text } from "../../i18n";
import { modeName, modes } from "../../lib/names";
import { field, textField } from "../../lib/shape";
import { toolLabel } from "../../lib/tools";

export interface Suggestion {
  /** Its place among the question's suggestions. */
  index: number;
  /** What it does besides allowing this once. */
  label: string;
  /** What it is about, exactly: commands, paths. */
  exact: string[];
}

/**
 * The suggestions to offer: none where the CLI wants no answer to be kept. With rules
 * of Parley's own, those that are no rules.
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
      // Switching all checks off is no answer to one question.
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

/** Null unless all of them are texts and there is at least one. */
function strings(values: unknown[]): string[] | null {
  const texts = values.filter((v): v is string => typeof v === "string" && v !== "");
  return texts.length > 0 && texts.length === values.length ? texts : null;
}
