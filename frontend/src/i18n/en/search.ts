import { number, plural } from "../format";

const places = (n: number) => `${number(n)} ${plural(n, { one: "match", other: "matches" })}`;
const sessions = (n: number) => `${number(n)} ${plural(n, { one: "session", other: "sessions" })}`;

/** Search over all conversations. */
export const search = {
  title: "Search",
  label: "Search all conversations",
  placeholder: "Words, or \"a phrase\"",
  about: "Searches titles, prompts, answers, and tool input and output in all conversations, including those from a terminal.",
  address: "This is a link to a message.",
  goTo: "Go to message",
  failed: "Search failed",
  nothing: "No results",
  nothingHas: (partial: boolean, filtered: boolean) =>
    `${partial ? "No matches yet" : "No matches"}${filtered ? " with these filters." : "."}`,
  withoutFilters: "Search without filters",
  found: "Results",
  more: "Show more",
  places: (n: number, inSessions: number) => `${places(n)} in ${sessions(inSessions)}`,
  shownOf: (shown: number, total: number) => `Showing ${number(shown)} of ${places(total)}`,
  shownOfMore: (shown: number, total: number) => `Showing ${number(shown)} of more than ${places(total)}`,
  notAllRead: (why: string) => `Couldn’t search all conversations: ${why}`,
  stillReading: "Still indexing conversations",
  stillReadingPart: (percent: string) => `Still indexing: ${percent}`,

  filters: "Filters",
  what: "Search in",
  folder: "Folder",
  when: "Time",
  model: "Model",
  anyModel: "Any model",
  allFolders: "All folders",
  onlyFailed: "Errors only",
  clear: "Clear",
  times: { any: "Any time", day: "Last 24 hours", week: "Last 7 days", month: "Last 30 days", year: "Last year", older: "Older than a year" },
  kinds: { any: "Everything", title: "Titles", prompt: "Your prompts", answer: "Claude’s answers", input: "Tool input", output: "Tool output" },
  /** The place of a hit. */
  hits: { title: "Title", prompt: "You", answer: "Claude", thinking: "Thinking", tool_input: "Tool input", tool_output: "Tool output", notice: "Note" },
  /** The same, behind a tool's name. */
  directions: { tool_input: "input", tool_output: "output" },
  hitFailed: "failed",
};
