import { cleanup, screen } from "@solidjs/testing-library";
import { afterEach, expect, test } from "vitest";
import { createFakeHost } from "../../host/fake";
import type { TurnResult } from "../../host/border.gen";
import { setLanguage } from "../../i18n";
import { renderApp } from "../../test/render";
import { message, scopeOf } from "./gallery";
import { NoticeView } from "./Notice";
import { TurnFooter } from "./TurnFooter";

afterEach(async () => {
  cleanup();
  await setLanguage("en");
});

const fake = () =>
  createFakeHost({
    "session.list": () => ({ sessions: [], total: 0 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
  });

const stoppers: [by: string | undefined, english: string, german: string][] = [
  ["window", "You stopped this turn.", "Sie haben diese Antwort abgebrochen."],
  ["gateway", "You stopped this turn.", "Sie haben diese Antwort abgebrochen."],
  ["@alice in Mattermost", "@alice in Mattermost stopped this turn.", "@alice in Mattermost hat diese Antwort abgebrochen."],
  ["heartbeat", "The heartbeat stopped this turn.", "Der Heartbeat hat diese Antwort abgebrochen."],
  [undefined, "This turn was stopped.", "Diese Antwort wurde abgebrochen."],
];

test.each(stoppers)("the notice says who stopped the turn: %s", async (by, english, german) => {
  const notice = { kind: "interrupted", by };
  const scope = scopeOf([message("n", [], { role: "notice", notice })]);
  await renderApp(fake(), () => <NoticeView id="n" notice={notice} scope={scope} />);
  expect(screen.getByRole("note")).toHaveTextContent(new RegExp(`^${english}$`));
  await setLanguage("de");
  expect(screen.getByRole("note")).toHaveTextContent(new RegExp(`^${german}$`));
});

test.each([
  [{}, "ok", /^1\.5 s · /],
  [{ stopped: true }, "stopped", /^Stopped · /],
  [{ isError: true }, "error", /^Ended with an error · /],
])("the footer of a turn with %o is %s", async (change, state, words) => {
  const usage = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 0, cacheCreationTokens: 0 };
  const result: TurnResult = { isError: false, costUSD: 0, durationMs: 1500, numTurns: 1, usage, ...change };
  await renderApp(fake(), () => <TurnFooter result={result} />);
  expect(screen.getByRole("contentinfo")).toHaveAttribute("data-state", state);
  expect(screen.getByTitle("Turn details")).toHaveTextContent(words);
});

test("the footer names the model that answered, in words and by its id", async () => {
  const usage = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 0, cacheCreationTokens: 0 };
  await renderApp(fake(), () => <TurnFooter result={{ isError: false, costUSD: 0, durationMs: 1500, numTurns: 1, usage }} model="claude-sonnet-4-5-20250929" />);
  const line = screen.getByTitle("Turn details");
  expect(line).toHaveTextContent(/^Sonnet 4\.5 · 1\.5 s · /);
  line.click();
  expect(await screen.findByText("claude-sonnet-4-5-20250929")).toBeVisible();
});
