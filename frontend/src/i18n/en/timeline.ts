import { number } from "..";

/** The conversation as a whole: how it is read, scrolled and gone through. */
export const timeline = {
  conversation: "Conversation",
  you: "You",
  claude: "Claude",
  subagent: "Subagent",
  claudeCode: "Claude Code",
  fromCli: "From the CLI",
  cutOff: "Cut off here.",
  /** What is told to those who listen when an answer is complete. */
  said: (words: string) => `Claude: ${words}`,

  looking: "Looking for the message…",
  notShown: (why: string) => `The message could not be shown. ${why}`,
  dismiss: "Dismiss",
  reading: "Reading the conversation…",
  notRead: "The conversation could not be read",
  tryAgain: "Try again",
  empty: "Nothing said yet",
  emptyHint: "Ask about this folder, or say what should be done in it.",

  readingOlder: "Reading older messages…",
  gap: "Newer messages are not shown here.",
  newBelow: "New below",
  toEnd: "To the newest",
  backToNewest: "Back to the newest",

  // What is too long to be drawn at once.
  longText: "Long text",
  longPrompt: "Long prompt",
  longPart: (name: string) => (name === "" ? "Long result" : `Long ${name}`),
  monsterShow: (what: string, size: string) => `${what}, ${size}. Show the beginning`,
  monsterMore: (left: string) => `Show more (${left} left)`,

  // A conversation from elsewhere.
  fromTerminal: "This conversation is from the terminal. A prompt here goes on with it.",
  growsInTerminal: "This conversation goes on in a terminal now, and what is added shows here. Wait for its end before you go on with it here.",

  // What may not survive being drawn is shown as plain text.
  safe: {
    mode: "Safe mode.",
    about: (older: boolean) => `The newest messages as plain text${older ? "; older ones are not shown" : ""}.`,
    usual: "Open as usual",
    notRead: (why: string) => `The conversation could not be read: ${why}`,
    empty: "Nothing said yet.",
    busy: "A turn is under way. What it says shows here when it is written down.",
    more: (characters: number) => `Show more (${number(characters)} characters)`,
    senders: { note: "Note", cli: "The CLI", you: "You", subagent: "Subagent", model: "Claude" },
    thinking: (words: string) => `(thinking) ${words}`,
  },
};
