import { number } from "../format";

/** The conversation as a whole: loading, scrolling and moving through it. */
export const timeline = {
  conversation: "Conversation",
  you: "You",
  claude: "Claude",
  subagent: "Subagent",
  claudeCode: "Claude Code",
  fromCli: "From the CLI",
  unsaved: "Claude Code couldn’t save this message to its transcript. Parley keeps a copy, but Claude won’t remember it.",
  cutOff: "Cut off here.",
  /** Announced to screen readers when an answer is complete. */
  said: (words: string) => `Claude: ${words}`,

  looking: "Finding the message…",
  notShown: (why: string) => `Couldn’t show the message. ${why}`,
  dismiss: "Dismiss",
  reading: "Loading the conversation…",
  notRead: "Couldn’t load the conversation",
  tryAgain: "Try again",
  empty: "What should we work on?",
  emptyHint: "Ask about this folder, or describe a task.",

  readingOlder: "Loading older messages…",
  gap: "Newer messages aren’t shown here.",
  newBelow: "New messages below",
  toEnd: "Jump to latest",
  backToNewest: "Back to latest",

  // Content too long to render at once.
  longText: "Long text",
  longPrompt: "Long prompt",
  longPart: (name: string) => (name === "" ? "Long result" : `Long ${name}`),
  monsterShow: (what: string, size: string) => `${what}, ${size}. Show the start`,
  monsterMore: (left: string) => `Show more (${left} left)`,

  // A conversation from elsewhere.
  fromTerminal: "This conversation started in a terminal. Send a prompt to continue it here.",
  growsInTerminal: "This conversation is active in a terminal. New messages show up here. Wait until it ends there before you continue here.",

  // A conversation that may crash the page is shown as plain text.
  safe: {
    mode: "Safe mode.",
    about: (older: boolean) => `Latest messages as plain text${older ? "; older ones aren’t shown" : ""}.`,
    usual: "Open normally",
    notRead: (why: string) => `Couldn’t load the conversation: ${why}`,
    empty: "No messages yet.",
    busy: "A turn is running. Its messages show up here once they are saved.",
    more: (characters: number) => `Show more (${number(characters)} characters)`,
    senders: { note: "Note", cli: "The CLI", you: "You", subagent: "Subagent", model: "Claude" },
    thinking: (words: string) => `(thinking) ${words}`,
  },
};
