// Made-up sets of Parley's own tools, for tests and the gallery.

import type { ToolInfo, ToolSet } from "../src/host/border.gen";

function tool(name: string, title: string, change: Partial<ToolInfo> = {}): ToolInfo {
  return { name: `mcp__parley__${name}`, title, description: "", readOnly: false, destructive: false, ...change };
}

function set(id: string, tools: ToolInfo[], change: Partial<ToolSet> = {}): ToolSet {
  return { id, on: true, own: false, general: true, tools, ...change };
}

export function toolSets(): ToolSet[] {
  return [
    set("memory", [tool("save_memory", "Save a memory"), tool("search_memory", "Search the memory", { readOnly: true }), tool("forget_memory", "Forget a memory", { destructive: true })], {
      own: true,
      on: false,
    }),
    set("rooms", [tool("room_say", "Say something in a room")]),
    set("sessions", [tool("list_sessions", "List sessions", { readOnly: true }), tool("spawn_session", "Start another session")]),
    set("people", [tool("notify_user", "Notify the user"), tool("ask_user", "Ask the user", { readOnly: true })]),
    set("heartbeats", [tool("manage_heartbeat", "Manage heartbeats", { destructive: true })]),
  ];
}
