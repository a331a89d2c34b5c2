// What the composer, the pickers and the settings ask for, and a session with
// prompts that wait.

import type { ModelList, ProfileList, QueuedPrompt } from "../src/host/border.gen";
import type { Handlers } from "../src/host/fake";

const efforts = ["low", "medium", "high", "xhigh", "max"];

const modelList = (): ModelList => ({
  models: [
    { value: "default", resolved: "claude-opus-5-5", name: "Default (recommended)", description: "Use the default model (currently Opus 5.5)", efforts },
    { value: "opus", resolved: "claude-opus-5-5", name: "Opus", description: "Opus 5.5 · Best for everyday, complex tasks", efforts },
    { value: "sonnet", resolved: "claude-sonnet-4-5-20250929", name: "Sonnet", description: "Sonnet 4.5 · Efficient for routine tasks", efforts: efforts.slice(0, 3) },
    { value: "haiku", resolved: "claude-haiku-5-5", name: "Haiku", description: "Haiku 5.5 · Fastest for quick answers", efforts: [] },
  ],
  commands: [
    { name: "compact", description: "Clear conversation history but keep a summary in context", argumentHint: "<optional custom summarization instructions>", kind: "command" },
    { name: "context", description: "Show what fills the context window", argumentHint: "", kind: "command" },
    { name: "clear", description: "Start a new conversation", argumentHint: "[name]", kind: "command" },
    { name: "code-review", description: "Review the current diff for correctness bugs and cleanups", argumentHint: "[low|medium|high|max] [--fix]", kind: "command" },
    { name: "config", description: "Change settings", argumentHint: "key=value", kind: "command" },
    { name: "init", description: "Write a CLAUDE.md that describes this codebase", argumentHint: "", kind: "command" },
  ],
  permissionModes: ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"],
  efforts,
  at: 1,
  message: "",
});

const profileList = (): ProfileList => ({
  profiles: [
    {
      id: "p1", name: "Company gateway", kind: "gateway", env: { ANTHROPIC_BASE_URL: "https://llm.example.com" },
      secrets: ["ANTHROPIC_AUTH_TOKEN"], missing: [], helper: "", updatedAt: 1,
    },
    {
      id: "p2", name: "Frankfurt", kind: "bedrock", env: { AWS_REGION: "eu-central-1" },
      secrets: ["AWS_BEARER_TOKEN_BEDROCK"], missing: ["AWS_BEARER_TOKEN_BEDROCK"], helper: "", updatedAt: 1,
    },
  ],
  keyring: "",
});

export const composeHandlers: Handlers = {
  "model.list": modelList,
  "profile.list": profileList,
  "draft.get": ({ sessionId }) => ({ sessionId, text: "", attachments: [], updatedAt: 0 }),
  "draft.set": () => ({}),
  "session.setModel": () => ({}),
  "session.setEffort": () => ({}),
  "session.editQueued": () => ({}),
  "session.dropQueued": () => ({}),
  "session.sendQueued": () => ({}),
};

const texts = [
  "Keep the waiting time below ten seconds in total",
  "Then write a test with a server that drops every third request.\nIt should not take longer than a second.",
  "And note the change in the log of changes, in one sentence that says what a person notices of it",
];

export const waiting = (...states: string[]): QueuedPrompt[] =>
  states.map((state, i) => ({
    promptId: `p${i}`,
    turnId: `t${i}`,
    text: texts[i % texts.length] ?? "",
    state,
    ...(i === 1 ? { attachments: [{ name: "a.png", mediaType: "image/png", bytes: 1 }] } : {}),
  }));
