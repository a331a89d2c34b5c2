import { afterEach, expect, test } from "vitest";
import { setLanguage } from "../i18n";
import { describeTool } from "./tools";

afterEach(() => setLanguage("en"));

const calls: [tool: string, input: unknown, english: string, german: string][] = [
  ["ask_user", { questions: [{ question: "Which one?" }] }, "Asked you: Which one?", "Hat Sie gefragt: Which one?"],
  ["forget_memory", { memory: "m1" }, "Forgot m1", "Vergessen: m1"],
  ["get_thread_content", {}, "Read the chat thread ", "Thread im Chat gelesen "],
  ["join", { channel: "build", nickname: "uploads" }, "Joined #build as uploads", "Beigetreten: #build als uploads"],
  ["leave", { channel: "#build" }, "Left #build", "Verlassen: #build"],
  ["leave", {}, "Listed its rooms ", "Eigene Räume aufgelistet "],
  ["list_rooms", {}, "Listed rooms ", "Räume aufgelistet "],
  ["list_sessions", { limit: 3 }, "Listed sessions ", "Sitzungen aufgelistet "],
  ["listen", { channel: "build" }, "Listened to #build", "Zugehört in #build"],
  ["notify_user", { title: "Green", text: "All of it." }, "Notified you: Green", "Hat Sie benachrichtigt: Green"],
  ["read_session", { session_id: "s1" }, "Read session s1", "Gelesen: Sitzung s1"],
  ["read_session", { session_id: "6f1c2a90-4b7d-4a51-9d0e-2f8a3c5b7e11" }, "Read another session", "Gelesen: eine andere Sitzung"],
  ["read_session", {}, "Read another session", "Gelesen: eine andere Sitzung"],
  ["room_history", { channel: "build" }, "Read messages in #build", "Nachrichten gelesen in #build"],
  ["room_receipts", { channel: "build" }, "Checked who has read messages in #build", "Lesebestätigungen angesehen in #build"],
  ["save_memory", { text: "Use tabs.\nAlways." }, "Remembered Use tabs. ⏎ Always.", "Gemerkt: Use tabs. ⏎ Always."],
  ["say", { channel: "build", text: "It is green." }, "Posted in #build: It is green.", "Geschrieben in #build: It is green."],
  ["say", { channel: "build", text: "You?", to: "ada" }, "Sent to ada: You?", "Gesendet an ada: You?"],
  ["say", { channel: "d-0123456789abcdefghijklmn", text: "You?" }, "Posted in a direct message: You?", "Geschrieben in einer Direktnachricht: You?"],
  ["say", { channel: "build" }, "Posted in #build", "Geschrieben in #build"],
  ["search_memory", { query: "tabs" }, "Searched memories for tabs", "In den Erinnerungen gesucht nach tabs"],
  ["search_memory", { query: "" }, "Viewed the latest memories ", "Die neuesten Erinnerungen angesehen "],
  ["send_to_session", { session_id: "s1", text: "Go on" }, "Sent a message to session s1: Go on", "Geschrieben an Sitzung s1: Go on"],
  ["send_to_session", { session_id: "6f1c2a90-4b7d-4a51-9d0e-2f8a3c5b7e11", text: "Go on" }, "Sent a message to another session: Go on", "Geschrieben an eine andere Sitzung: Go on"],
  ["session_receipt", { receipt_id: "r1" }, "Checked a message’s status ", "Status einer Nachricht geprüft "],
  ["spawn_session", { prompt: "Port it", title: "Port" }, "Started a session: Port", "Sitzung gestartet: Port"],
  ["manage_heartbeat", { action: "create", name: "nightly" }, "Created the heartbeat nightly", "Heartbeat angelegt: nightly"],
  ["manage_heartbeat", { action: "toString", name: "nightly" }, "Used heartbeats: nightly", "Heartbeats verwendet: nightly"],
  ["manage_heartbeat", { action: "history", name: "nightly" }, "Read the history of the heartbeat nightly", "Verlauf des Heartbeats gelesen: nightly"],
  ["manage_heartbeat", { action: "pause" }, "Paused all heartbeats ", "Alle Heartbeats pausiert "],
  ["manage_tmux_sessions", { action: "send_input", target: "code:1.0", text: "go on" }, "Typed into the terminal code:1.0: go on", "Getippt in das Terminal code:1.0: go on"],
  ["manage_tmux_sessions", { action: "list" }, "Listed terminals ", "Terminals aufgelistet "],
  ["manage_tmux_sessions", { action: "capture", target: 7 }, "Read the terminal ", "Terminal gelesen: "],
  ["not_known", {}, "Used parley · not known", "Verwendet: parley · not known"],
];

test.each(calls)("Parley's own tool %s with %j in plain words", async (tool, input, english, german) => {
  const said = () => {
    const { verb, object } = describeTool(`mcp__parley__${tool}`, input, "/w");
    return `${verb.done} ${object}`;
  };
  expect(said()).toBe(english);
  await setLanguage("de");
  expect(said()).toBe(german);
});

test("the same tool of another server is not Parley's", () => {
  expect(describeTool("mcp__other__say", { channel: "build", text: "x" }, "/w").object).toBe("other · say");
});
