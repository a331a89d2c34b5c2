// Shared by the tests of the dock: a dock with the given requests, and a stopped clock.

import { cleanup, render, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { createSignal } from "solid-js";
import { afterEach, beforeEach, vi } from "vitest";
import type { OpenQuestion, Rule, RuleChoice, RulePreview } from "../../host/border.gen";
import { GUARD_MS, type Respond } from "./answer";
import { forgetKept } from "./draft-answers";
import { QuestionDockView } from "./QuestionDock";

/** Each test file of the dock calls this. */
export function stopClock(): void {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    cleanup();
    forgetKept();
    vi.useRealTimers();
  });
}

export function draw(...questions: OpenQuestion[]) {
  const [list, setList] = createSignal(questions);
  const respond = vi.fn<Respond>(() => Promise.resolve({ won: true, outcome: "allow", by: "window" }));
  const preview = vi.fn<(id: string, rule: RuleChoice) => Promise<RulePreview>>((_, rule) =>
    Promise.resolve({ rules: (rule.texts ?? []).map(made), also: [] }),
  );
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime, delay: null });
  const view = render(() => (
    <>
      <textarea aria-label="Prompt" />
      <QuestionDockView questions={list()} respond={respond} preview={preview} />
    </>
  ));
  return { respond, preview, user, setList, view };
}

export const made = (text: string): Rule => ({
  id: "", effect: "allow", text, tool: "Bash", pattern: text, scope: "session", scopeId: "s1", expiresAt: 0, source: "person", createdAt: 0, note: "", uses: 0,
});
export const offers = [
  { means: "Allow this command", rules: ["Bash(go test ./...)"] },
  { means: "Allow commands that begin with go test", rules: ["Bash(go test:*)", "Bash(cd:*)"] },
];

export const ready = () => vi.advanceTimersByTime(GUARD_MS);
export const button = (name: RegExp | string) => screen.getByRole("button", { name });
/** Chooses one of the other ways to allow. */
export async function choose(user: ReturnType<typeof userEvent.setup>, name: string): Promise<void> {
  await user.click(button("More options"));
  await user.click(await screen.findByRole("menuitem", { name }));
}
