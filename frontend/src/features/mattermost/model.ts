// The Mattermost page: the current tab, and the user's actions.

import { createSignal } from "solid-js";
import { messageOf } from "../../host/host";
import type { App } from "../../store/context";
import type { Reading } from "../../store/reading";
import type { ChatState } from "../../host/border.gen";
import { isSetUp } from "./config";
import type { Editor } from "./editor";

export const tabs = ["overview", "channels", "people", "threads"] as const;
export type Tab = (typeof tabs)[number];

export const steps = ["server", "channels", "people", "finish"] as const;
export type Step = (typeof steps)[number];

/** The user's place in the page; like unsaved input, it survives closing the page. */
export function createWhere() {
  const [step, setStep] = createSignal<Step | null>(null);
  return { step, setStep };
}

export type Where = ReturnType<typeof createWhere>;

export function createChatModel(app: App, reading: Reading<ChatState>, editor: Editor, where: Where, begin: string) {
  const [tab, setTab] = createSignal<Tab>(tabs.find((id) => id === begin) ?? "overview");
  const [problem, setProblem] = createSignal("");

  async function attempt<T>(what: Promise<T>): Promise<T | null> {
    setProblem("");
    try {
      return await what;
    } catch (failure) {
      setProblem(messageOf(failure));
      return null;
    }
  }

  return {
    reading,
    editor,
    tab,
    show: (id: string) => setTab(tabs.find((one) => one === id) ?? "overview"),
    step: where.step,
    go: where.setStep,
    /** Whether there is more to show than the setup. */
    setUp: () => {
      const state = reading.answer();
      return state !== null && isSetUp(state.config);
    },
    problem,
    attempt,
    openSession: (sessionId: string) => app.actions.open(sessionId),
  };
}

export type ChatModel = ReturnType<typeof createChatModel>;
