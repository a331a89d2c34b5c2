// A team chat in every state: its page, a session that is shown in it, and prompts that came from it.

import { createFakeHost, type FakeHost, type Handlers } from "../src/host/fake";
import { HostError } from "../src/host/host";
import type { Channel, ChatConfig, ChatEvent, ChatState, ChatThread, Connection, Message, Mirror, Person, QueuedPrompt, Session } from "../src/host/border.gen";
import { assistant, session as fixture, user } from "./fixtures";
import type { PaneScene } from "./panes";
import { click, type, when } from "./press";

const minute = 60_000;
const hour = 60 * minute;
const now = Date.now();

export const person = (id: string, username: string, name: string, change: Partial<Person> = {}): Person => ({ id, username, name, ...change });
const parley = person("u-parley", "parley", "Parley", { bot: true });
const people = [person("u-ada", "ada", "Ada Byron"), person("u-alice", "alice", "Alice Meyer"), person("u-alan", "alan", "Alan Reyes", { guest: true }), person("u-al", "al.old", "Al Old", { deactivated: true })];

const channel = (id: string, name: string, title: string, change: Partial<Channel> = {}): Channel => ({ id, teamId: "t-eng", name, title, kind: "open", ...change });
export const channels = [channel("c-dev", "dev", "Development"), channel("c-ops", "ops", "Operations", { kind: "private" }), channel("c-notes", "notes", "Reading notes"), channel("c-old", "old", "Old project", { archived: true })];

export const chatConfig = (change: Partial<ChatConfig> = {}): ChatConfig => ({
  enabled: true,
  url: "https://chat.example.org",
  teamId: "t-eng",
  channels: [
    { channelId: "c-dev", name: "Development", folder: "/home/ada/projects/parley" },
    { channelId: "c-ops", name: "Operations", folder: "/home/ada/projects/engine", permissionMode: "plan", mention: true },
  ],
  direct: { channelId: "", name: "", folder: "/home/ada/notes" },
  access: [
    { role: "admin", userId: "u-ada", name: "Ada Byron (@ada)" },
    { role: "approve", userId: "u-alice", name: "Alice Meyer (@alice)" },
    { role: "prompt", teamId: "t-eng", channelId: "c-dev", name: "Everyone in the team Engineering" },
    { role: "watch", everyone: true, channelId: "c-ops", name: "Everyone who can post in Operations" },
  ],
  mirrorChannelId: "c-dev",
  mirrorFolders: ["/home/ada/projects/parley"],
  ...change,
});

const connection = (change: Partial<Connection> = {}): Connection => ({
  state: "connected", reason: "", since: now - 5 * hour, server: "https://chat.example.org", version: "10.11.2", me: parley, reconnects: 2, caughtUp: 7, ...change,
});

export const chatState = (change: Partial<ChatState> = {}): ChatState => ({
  config: chatConfig(), revision: "r1", token: "keyring", connection: connection(), mirrors: 1, threads: 3, problems: [], wide: [], ...change,
});

const noConfig: ChatConfig = { enabled: false, url: "", teamId: "", channels: [], direct: null, access: [], mirrorChannelId: "" };
export const noChat = (): ChatState =>
  chatState({ config: noConfig, token: "", mirrors: 0, threads: 0, connection: connection({ state: "off", since: 0, server: "", version: "", me: person("", "", ""), reconnects: 0, caughtUp: 0 }) });

const link = (id: string) => `https://chat.example.org/eng/pl/${id}`;
const thread = (threadId: string, sessionId: string, title: string, change: Partial<ChatThread> = {}): ChatThread => ({
  threadId, channelId: "c-dev", channel: "Development", sessionId, title, mirror: false, paused: false, link: link(threadId), usedAt: now - 20 * minute, ...change,
});
const threads = [
  thread("p1", "s1", "Retry the upload when the link drops", { mirror: true, usedAt: now - 20_000 }),
  thread("p2", "s2", "Why is the nightly build slow?", { channelId: "c-ops", channel: "Operations" }),
  thread("p3", "s3", "Sort the reading notes by topic", { mirror: true, paused: true, usedAt: now - 30 * hour }),
];

const said = (ago: number, kind: string, words: string, by = "", sessionId = ""): ChatEvent => ({ at: now - ago, kind, text: words, by, sessionId });
const events = [
  said(20_000, "prompt", "Alice Meyer wrote in a thread in Development.", "@alice", "s1"),
  said(3 * minute, "answer", "A permission was allowed.", "@ada", "s1"),
  said(40 * minute, "refused", "Somebody who is not listed wrote in Operations.", "@mallory"),
  said(2 * hour, "mirror", "“Retry the upload when the link drops” is shown in Development.", "", "s1"),
  said(2.1 * hour, "connection", "The connection is back; 7 posts and reactions were fetched."),
  said(2.2 * hour, "problem", "The connection was lost: the server closed it."),
];

/** A chat that works, as far as the page needs it. */
export function chatHandlers(begin: ChatState = chatState(), change: Handlers = {}): Handlers {
  let state = begin;
  return {
    // The page makes what it is told its own.
    "mattermost.get": () => structuredClone(state),
    "mattermost.set": ({ config, token }) => {
      const connected = config.enabled ? connection({ since: now, reconnects: 0, caughtUp: 0 }) : connection({ state: "off", since: now, me: parley });
      state = { ...state, config, revision: `${state.revision}+`, token: token === "" ? "" : token ? "keyring" : state.token, connection: connected };
      return structuredClone(state);
    },
    "mattermost.probe": () => ({ version: "10.11.2", me: parley, teams: [{ id: "t-eng", name: "eng", title: "Engineering" }, { id: "t-art", name: "art", title: "Art" }], warnings: [] }),
    "mattermost.channels": ({ query = "" }) => ({ channels: channels.filter(({ title }) => title.toLowerCase().includes(query.toLowerCase())), more: query === "" }),
    "mattermost.people": ({ query }) => ({ people: people.filter(({ name, username }) => `${name} ${username}`.toLowerCase().includes(query.toLowerCase())) }),
    "mattermost.test": () => ({ link: link("test") }),
    "mattermost.events": () => ({ events }),
    "mattermost.threads": () => ({ threads, total: threads.length }),
    ...change,
  };
}

export const mirror = (change: Partial<Mirror> = {}): Mirror => ({ on: true, threadId: "p1", channelId: "c-dev", channel: "Development", link: link("p1"), began: false, ...change });

const alice = { via: "mattermost", username: "alice", name: "Alice Meyer" };
const conversation: Message[] = [
  user("u1", "The upload fails for good when the connection drops for a moment. Make it retry."),
  assistant("a1", [
    { id: "b1", type: "text", text: "Done: a part that was lost is sent again, at most five times." },
    {
      id: "b2", type: "tool",
      tool: { toolUseId: "t1", name: "Bash", input: { command: "go test ./upload/...", description: "Run the upload tests" }, state: "done", startedAt: now - 3 * minute, durationMs: 2100, answeredBy: "@alice in Mattermost", content: [{ type: "text", text: "ok" }] },
    },
  ]),
  { ...user("u2", "Does it wait between two tries? The server counts requests."), author: alice },
  assistant("a2", [{ id: "b3", type: "text", text: "Yes: twice as long each time, beginning with half a second." }]),
];
const queued: QueuedPrompt[] = [{ promptId: "q1", turnId: "", text: "Then say so in the README, please", state: "queued", at: now, author: alice } as QueuedPrompt];

/** The chat's scenes. */
export function chatScenes(handlers: (change?: Handlers) => Handlers, sessions: readonly Session[]): Record<string, () => PaneScene> {
  const page = (state: ChatState, act: (host: FakeHost) => void = () => {}, change: Handlers = {}, tab = "") => (): PaneScene => {
    const host = createFakeHost(handlers(chatHandlers(state, change)));
    return {
      host,
      open: "s1",
      begin: (app) => {
        app.layout.go({ kind: "chat", tab });
        act(host);
      },
    };
  };
  const shown = (change: Partial<Mirror>, more: Partial<Session> = {}): Handlers => {
    const list = sessions.map((s, i) => (i === 0 ? { ...s, mirror: mirror(change), ...more } : i === 1 ? { ...s, mirror: mirror({ began: true, channel: "Operations" }) } : s));
    return {
      "session.list": () => ({ sessions: list, total: list.length }),
      "session.get": ({ sessionId }) => list.find((s) => s.id === sessionId) ?? fixture(sessionId),
      "session.history": () => ({ messages: conversation, total: conversation.length, hasMore: false, before: "", seq: 0 }),
    };
  };
  const dialog = '[data-component="chat"]';
  const toStep = (act: () => void = () => {}) => {
    click(`${dialog} button`, "Connect a server");
    act();
  };
  const server = (then: () => void = () => {}) =>
    toStep(() => {
      type(`${dialog} input[inputmode="url"]`, "https://chat.example.org");
      type(`${dialog} input[type="password"]`, "0123456789abcdefghijklmnop");
      click(`${dialog} button`, "Test connection");
      when(`${dialog} [data-slot="accepted"]`, then);
    });
  const next = () => click(`${dialog} [data-slot="save"] button`, "Next");
  const pick = (words: string, name: string, then: () => void) => {
    type(`${dialog} [data-slot="finder"] input`, words);
    click(`${dialog} [data-slot="hit"]`, name, then);
  };
  const failing: Handlers = {
    "mattermost.probe": () => {
      throw new HostError("unauthorized", "The server rejected the access token. Create a new one there and enter it here.");
    },
  };
  return {
    chatNone: page(noChat()),
    chatServer: page(noChat(), () => server()),
    chatServerRefused: page(
      noChat(),
      () =>
        toStep(() => {
          type(`${dialog} input[inputmode="url"]`, "https://chat.example.org");
          type(`${dialog} input[type="password"]`, "wrong");
          click(`${dialog} button`, "Test connection");
        }),
      failing,
    ),
    chatChannels: page(noChat(), () => server(() => {
      next();
      pick("dev", "Development", () => {});
    })),
    chatPeople: page(noChat(), () => server(() => {
      next();
      pick("dev", "Development", () => {
        next();
        when(`${dialog} [data-slot="roles"]`, () => pick("ada", "Ada", () => type(`${dialog} [data-slot="finder"] input`, "al")));
      });
    })),
    chatFinish: page(noChat(), () => server(() => {
      next();
      pick("dev", "Development", () => {
        next();
        when(`${dialog} [data-slot="roles"]`, () => pick("ada", "Ada", () => {
          next();
          click(`${dialog} button`, "Connect", () => click(`${dialog} button`, "Send test message"));
        }));
      });
    })),
    chatOverview: page(chatState()),
    chatWaiting: page(chatState({
      connection: connection({ state: "waiting", reason: "The server at chat.example.org did not answer in time.", since: now - 4 * minute, retryAt: now + 42_000 }),
      problems: ["The folder /home/ada/projects/engine is not there any more.", "The account cannot see the channel Operations."],
    })),
    chatRefused: page(chatState({ connection: connection({ state: "refused", reason: "The server rejected the access token. Create a new one there and enter it here.", since: now - hour }) })),
    chatMapping: page(chatState(), () => click(`${dialog} [data-edit]`, "Operations"), {}, "channels"),
    chatAccess: page(chatState(), () => {}, {}, "people"),
    chatThreads: page(chatState(), () => {}, {}, "threads"),
    chatFailed: page(noChat(), () => {}, {
      "mattermost.get": () => {
        throw new HostError("unavailable", "The Mattermost settings in /home/ada/.local/share/parley cannot be read. Check that this is a file and that you have permission to read it. The settings you accepted last apply.");
      },
    }),
    mirrored: () => ({ host: createFakeHost(handlers({ ...chatHandlers(), ...shown({}, { queued }) })), open: "s1" }),
    mirroredTrouble: () => ({ host: createFakeHost(handlers({ ...chatHandlers(), ...shown({ problem: "Parley's account is not allowed to do this in Mattermost. Ask the server's administrator, or choose another channel." }) })), open: "s1" }),
    mirrorAsk: () => ({
      host: createFakeHost(handlers(chatHandlers(chatState({ config: chatConfig({ mirrorChannelId: "" }) })))),
      open: "s1",
      begin: (app) => app.layout.setOverlay({ kind: "mirror", sessionId: "s1" }),
    }),
    mirrorOn: () => ({
      host: createFakeHost(handlers({ ...chatHandlers(), ...shown({}) })),
      open: "s1",
      begin: (app) => app.layout.setOverlay({ kind: "mirror", sessionId: "s1" }),
    }),
  };
}
