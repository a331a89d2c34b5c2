// Describes Parley's own tools in plain words.

import { text } from "../i18n";
import type { Description, Verb } from "./description";
import { listField, oneLine, textField } from "./shape";

/** The name prefix of Parley's own tools. */
const prefix = "mcp__parley__";

/** The id of a direct message, which has no name. */
const directId = /^d-[\da-v]{24}$/;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Describes a call of one of Parley's own tools, null for any other. */
export function describeOwnTool(name: string, input: unknown): Description | null {
  if (!name.startsWith(prefix)) return null;
  const tool = name.slice(prefix.length);
  const words = text().ownTools;
  const given = (member: string) => oneLine(textField(input, member));
  const described = (verb: Verb, object = "", code = false): Description => ({ verb, object, code });
  const known = (object = "", code = false) => described((words.verbs as Record<string, Verb>)[tool] ?? text().tools.verbs.other, object, code);
  const channel = roomName(given("channel"));
  const about = (who: string, what: string) => (who && what ? words.said(who, what) : who || what);
  switch (tool) {
    case "ask_user":
      return known(oneLine(textField(listField(input, "questions")[0], "question")));
    case "forget_memory":
      return known(given("memory"));
    case "get_thread_content":
      return known(given("thread"), true);
    case "join":
      return known(channel && given("nickname") ? words.joinedAs(channel, given("nickname")) : channel);
    case "leave":
      return channel ? known(channel) : described(words.leaveList);
    case "list_rooms":
    case "list_sessions":
    case "session_receipt":
      return known();
    case "listen":
    case "room_history":
    case "room_receipts":
      return known(channel);
    case "notify_user":
      return known(given("title"));
    case "read_session":
      return known(sessionName(given("session_id")));
    case "save_memory":
      return known(given("text"));
    case "say":
      return given("to") ? described(words.sayTo, about(given("to"), given("text"))) : known(about(channel, given("text")));
    case "search_memory":
      return given("query") ? known(given("query")) : described(words.newestMemories);
    case "send_to_session":
      return known(about(sessionName(given("session_id")), given("text")));
    case "spawn_session":
      return known(given("title") || given("prompt"));
    case "manage_heartbeat":
      return described(byAction(words.heartbeats, given("action")), given("name"));
    case "manage_tmux_sessions":
      return described(byAction(words.terminals, given("action")), about(given("target") || given("name"), given("text") || given("prompt")), true);
    default:
      return null;
  }
}

function roomName(channel: string): string {
  if (channel === "") return "";
  return directId.test(channel) ? text().ownTools.direct : `#${channel.replace(/^#/, "")}`;
}

// A session's id means nothing to a user, and a call does not contain its title.
function sessionName(id: string): string {
  const words = text().ownTools;
  return id === "" || uuid.test(id) ? words.otherSession : words.session(id);
}

function byAction(verbs: Record<string, Verb> & { other: Verb }, action: string): Verb {
  return (Object.hasOwn(verbs, action) ? verbs[action] : undefined) ?? verbs.other;
}
