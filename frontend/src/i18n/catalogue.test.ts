import { expect, test } from "vitest";
import { type Catalogue, languages } from ".";
import { de } from "./de";
import { sentences } from "./de/sentences";
import { en } from "./en";

type Entry = string | ((...args: never[]) => string);

/** All texts by path. */
function entries(words: object, path = ""): [string, Entry][] {
  return Object.entries(words).flatMap(([key, value]: [string, unknown]): [string, Entry][] => {
    const at = path ? `${path}.${key}` : key;
    if (typeof value === "string" || typeof value === "function") return [[at, value as Entry]];
    return entries(value as object, at);
  });
}

const english = new Map(entries(en));
const german = new Map(entries(de));

/** A text called with numbers, or with names. */
function said(entry: Entry, given: unknown): string {
  if (typeof entry === "string") return entry;
  try {
    return (entry as (...args: unknown[]) => string)(...Array.from({ length: entry.length }, () => given));
  } catch {
    return "";
  }
}

/** Texts identical in both languages: names, loanwords, units, code. */
const same = new Set([
  "Alt", "Amazon Bedrock", "Anthropic", "Backspace", "Chat", "Bash(git status:*)", "Budgets", "Claude", "Claude Code", "Claude Code …", "Claude: …", "Editor", "Enter", "Esc", "Fjord", "Format", "Gateway", "Heartbeat", "Heartbeats",
  "Google Vertex AI", "Hook", "In …", "JSON", "Markdown", "Minus", "NAME", "Name", "Parley", "Pink", "Plan", "Plugin", "Plus", "Prompt", "Prompt NaN", "Region", "Rose", "Sand", "Sandbox",
  "Mattermost", "Mattermost …", "Problem", "Server", "Skill", "Skills", "Subagent", "System", "Tab", "Team", "Terminals", "Thread", "Threads", "Token", "Tokens", "US$", "Variable", "Webhook", "Zoom", "https://example.org/hook", "in …", "in … s", "ntfy", "px", "… GB", "… KB", "… MB", "… in Mattermost", "… in …", "… ms", "…: NaN × …",
]);

test("languages have the same texts, which take the same", () => {
  expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  const other = [...english].filter(([at, entry]) => typeof entry === "function" && (german.get(at) as Entry).length !== entry.length);
  expect(other.map(([at]) => at)).toEqual([]);
});

test("no German text was left in English", () => {
  const left = [...english].flatMap(([at, entry]) => {
    const words = typeof entry === "string" ? entry : said(entry, "…");
    // Only parameters and punctuation.
    if (!/\p{L}{2}/u.test(words) || same.has(words)) return [];
    return words === said(german.get(at) ?? "", "…") ? [`${at}: ${words}`] : [];
  });
  expect(left).toEqual([]);
});

test("what is excused from that is in the catalogue", () => {
  const all = new Set([...english.values()].map((entry) => said(entry, "…")));
  expect([...same].filter((words) => !all.has(words))).toEqual([]);
});

test.each([
  ["straight quotes", /"|(?<!\p{L})'/u, /placeholder$|^The template is not JSON/],
  ["straight apostrophes", /\p{L}'\p{L}/u, /^$/],
  ["English quotes", /”/u, /^$/],
  ["three dots", /\.\.\./u, /^$/],
  ["ellipsis without a space", /\p{L}…/u, /^$/],
  ["familiar form", /\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]eine?[nrms]?)\b/u, /^blocks\.continuePrompt$/],
  ["other word for a workspace", /Projekte\b/u, /^$/],
  ["other word for a conversation", /Unterhaltung/u, /^$/],
  ["other word for a subagent", /Unteragent/u, /^$/],
])("German has no %s", (_what, wrong, excused) => {
  const all: [string, Entry][] = [...german, ...Object.entries(sentences)];
  const found = all.filter(([at, entry]) => !excused.test(at) && wrong.test(said(entry, 3)));
  expect(found.map(([at, entry]) => `${at}: ${said(entry, 3)}`)).toEqual([]);
});

test("English has no straight apostrophes", () => {
  const found = [...english].filter(([, entry]) => /\p{L}'\p{L}/u.test(said(entry, 3)));
  expect(found.map(([at, entry]) => `${at}: ${said(entry, 3)}`)).toEqual([]);
});

test("every language that is offered can be loaded, and is named in itself", async () => {
  for (const language of languages) {
    const words: Catalogue = await language.load();
    expect([...new Map(entries(words)).keys()].length, language.code).toBe(english.size);
    expect(new Intl.DisplayNames(language.code, { type: "language" }).of(language.code), language.code).toBe(language.name);
  }
});
