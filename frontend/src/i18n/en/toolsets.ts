import { number, plural } from "..";

/** Parley's own tools, which models may use. */
export const toolsets = {
  title: "Parley’s own tools",
  about: "What the model of a session may use besides the CLI’s tools. They ask you before they start something, change your heartbeats, or show one session’s text to another.",
  later: "A change reaches a session when its process starts the next time.",
  names: { heartbeats: "Heartbeats", memory: "Memory", rooms: "Rooms", sessions: "Sessions", people: "You", chat: "Chat", tmux: "Terminals" },
  what: {
    heartbeats: "Looks at your heartbeats, and makes and changes them.",
    memory: "Saves what is to be remembered, and finds it again.",
    rooms: "Talks with other sessions in rooms.",
    sessions: "Lists, reads and starts other sessions, and writes to them.",
    people: "Asks you questions and shows you notifications.",
    chat: "Reads the thread of the chat that a session is shown in.",
    tmux: "Looks after Claude Code in terminals (tmux): reads, answers, types, starts and ends them.",
  },
  on: "On",
  off: "Off",
  general: (on: boolean) => (on ? "Default: on" : "Default: off"),
  tools: (n: number) => `${number(n)} ${plural(n, { one: "tool", other: "tools" })}`,
  failed: (why: string) => `This could not be done: ${why}`,
};
