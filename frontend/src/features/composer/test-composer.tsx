// Shared by the composer tests: a composer over a fake host.

import { screen } from "@solidjs/testing-library";
import { Show } from "solid-js";
import { session } from "../../../gallery/fixtures";
import type { Command, Info, ModelList, Session } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import type { Handing } from "../../host/handing";
import type { App } from "../../store/context";
import { renderApp } from "../../test/render";
import { Composer } from "./Composer";

export let host: FakeHost;
export let app: App;

const commands: Command[] = [
  { name: "compact", description: "Summarise the conversation", argumentHint: "<what to keep>", kind: "command" },
  { name: "context", description: "What fills the window", argumentHint: "", kind: "command" },
  { name: "recompact", description: "Again", argumentHint: "", kind: "command" },
  { name: "__inner", description: "Nobody’s business", argumentHint: "", kind: "command" },
];

export function models(change: Partial<ModelList> = {}): ModelList {
  return {
    models: [
      { value: "default", resolved: "claude-opus-5-5", name: "Default (recommended)", description: "Opus", efforts: ["low", "high"] },
      { value: "opus", resolved: "claude-opus-5-5", name: "Opus", description: "For hard things", efforts: ["low", "high", "max"] },
      { value: "haiku", resolved: "claude-haiku-5-5", name: "Haiku", description: "Quick", efforts: [] },
    ],
    commands,
    permissionModes: [],
    efforts: ["low", "medium", "high"],
    at: 1,
    message: "",
    ...change,
  };
}

export async function draw(change: Partial<Session> = {}, what: Partial<Info> = {}, handing?: Handing, answers: Parameters<typeof createFakeHost>[0] = {}): Promise<HTMLTextAreaElement> {
  const sessions = [session("s", change), session("other")];
  host = createFakeHost({
    "session.list": () => ({ sessions, total: 2 }),
    "permission.list": () => ({ requests: [] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "session.prompt": () => ({ turnId: "t" }),
    "session.interrupt": () => ({}),
    "session.setPermissionMode": () => ({}),
    "session.setModel": () => ({}),
    "session.setEffort": () => ({}),
    "session.editQueued": () => ({}),
    "session.dropQueued": () => ({}),
    "session.sendQueued": () => ({}),
    "draft.get": ({ sessionId }) => ({ sessionId, text: "", attachments: [], updatedAt: 0 }),
    "draft.set": () => ({}),
    "model.list": () => models(),
    ...answers,
  });
  if (handing) host = { ...host, handing };
  app = await renderApp(host, ({ state, actions }) => {
    actions.open("s");
    return <Show when={state.sessions[state.current ?? ""]}>{(s) => <Composer session={s()} />}</Show>;
  }, what);
  return screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
}

export const prompts = () => host.callsOf("session.prompt").map((p) => p.text);
export const pngHead = [0x89, 0x50, 0x4e, 0x47];
export const png = (name: string) => new File([new Uint8Array(pngHead)], name, { type: "image/png" });
