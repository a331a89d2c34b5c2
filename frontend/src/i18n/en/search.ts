import { number, plural } from "..";

const places = (n: number) => `${number(n)} ${plural(n, { one: "place", other: "places" })}`;
const sessions = (n: number) => `${number(n)} ${plural(n, { one: "session", other: "sessions" })}`;

/** The search over all conversations. */
export const search = {
  title: "Search",
  label: "Search in all conversations",
  placeholder: "Words, or \"a phrase\"",
  about: "Finds words in titles, prompts and answers, and in what tools were given and returned, in all conversations: those of a terminal too.",
  address: "This is the address of a message.",
  goTo: "Go to the message",
  failed: "The search failed",
  nothing: "Nothing found",
  nothingHas: (partial: boolean, filtered: boolean) =>
    `${partial ? "Of what has been read so far, nothing" : "Nothing"} has these words${filtered ? " and passes the filters." : "."}`,
  withoutFilters: "Search without filters",
  found: "Found",
  more: "Show more",
  places: (n: number, inSessions: number) => `${places(n)} in ${sessions(inSessions)}`,
  shownOf: (shown: number, total: number) => `${number(shown)} shown of ${places(total)}`,
  shownOfMore: (shown: number, total: number) => `${number(shown)} shown of more than ${places(total)}`,
  notAllRead: (why: string) => `Not all conversations could be read: ${why}`,
  stillReading: "Still reading conversations",
  stillReadingPart: (percent: string) => `Still reading: ${percent}`,

  filters: "Filters",
  what: "What",
  folder: "Folder",
  when: "When",
  model: "Model",
  anyModel: "Any model",
  allFolders: "All folders",
  onlyFailed: "Only what failed",
  clear: "Clear",
  times: { any: "Any time", day: "Last 24 hours", week: "Last 7 days", month: "Last 30 days", year: "Last year", older: "Older than a year" },
  kinds: { any: "Everything", title: "Titles", prompt: "What you said", answer: "What Claude said", input: "What tools were given", output: "What tools returned" },
  /** What a hit is in. */
  hits: { title: "Title", prompt: "You", answer: "Claude", thinking: "Thinking", tool_input: "Given", tool_output: "Returned", notice: "Note" },
  /** The same, behind a tool's name. */
  directions: { tool_input: "given", tool_output: "returned" },
  hitFailed: "failed",
};
