import { number, plural } from "../format";

/** Parley's own tools, which models may use. */
export const toolsets = {
  title: "Parley’s own tools",
  about: "Tools that Claude can use in addition to the CLI’s own. They ask you before they start something, change your heartbeats, or show text from one session to another.",
  later: "Changes apply the next time a session’s process starts.",
  names: { heartbeats: "Heartbeats", memory: "Memory", rooms: "Rooms", sessions: "Sessions", people: "You", chat: "Chat", tmux: "Terminals" },
  what: {
    heartbeats: "Lists, creates, and changes your heartbeats.",
    memory: "Saves memories and searches them.",
    rooms: "Exchanges messages with other sessions in rooms.",
    sessions: "Lists, reads, and starts other sessions, and sends them messages.",
    people: "Can ask you questions and show notifications.",
    chat: "Reads the Mattermost thread that a session is mirrored to.",
    tmux: "Manages Claude Code in terminals (tmux): reads, answers, types, starts, and ends them.",
  },
  on: "On",
  off: "Off",
  general: (on: boolean) => (on ? "Default: on" : "Default: off"),
  tools: (n: number) => `${number(n)} ${plural(n, { one: "tool", other: "tools" })}`,
  failed: (why: string) => `Something went wrong: ${why}`,
};
