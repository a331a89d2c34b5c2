import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { Show } from "solid-js";
import { expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import { message } from "../timeline/gallery";
import type { Message, Session } from "../../host/border.gen";
import { createFakeHost } from "../../host/fake";
import type { Method } from "../../host/host";
import { renderApp } from "../../test/render";
import { SessionBanner } from "./Banners";

it.each<[Partial<Session>, string, string, Method]>([
  [{ deletedAt: 1, archivedAt: 1 }, "This session is in the trash.", "Restore", "session.restore"],
  [{ archivedAt: 1 }, "This session is archived.", "Unarchive", "session.unarchive"],
  [{ state: "closed" }, "This session is closed.", "Reopen", "session.reopen"],
  [
    { state: "failed", error: { code: "conversation_gone", message: "Claude Code no longer has this conversation.", hint: "Begin a fresh one here." } },
    "Claude Code no longer has this conversation",
    "New conversation",
    "session.clearContext",
  ],
])("%j says where it is, and brings it back", async (change, text, action, method) => {
  const back = session("s");
  const host = createFakeHost({
    "session.list": () => ({ sessions: [session("s", change)], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "session.restore": () => back,
    "session.unarchive": () => back,
    "session.reopen": () => back,
    "session.clearContext": () => back,
  });
  await renderApp(host, (app) => (
    <Show when={app.state.sessions["s"]}>{(found) => <SessionBanner session={found()} />}</Show>
  ));
  expect(screen.getByText(text)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: action }));
  expect(host.callsOf(method)).toEqual([{ sessionId: "s" }]);
  await vi.waitFor(() => expect(screen.queryByText(text)).toBeNull());
});

const failed = session("s", { state: "failed", error: { code: "cli_too_old", message: "The Claude Code CLI at /x is version 1.0.", hint: "Fix this." } });

async function drawFailed(messages: Message[]) {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [failed], total: 1 }),
    "session.history": () => ({ messages, total: messages.length, hasMore: false, before: "", seq: 0 }),
    "permission.list": () => ({ requests: [] }),
  });
  const app = await renderApp(host, (made) => (
    <Show when={made.state.sessions["s"]}>{(found) => <SessionBanner session={found()} />}</Show>
  ));
  app.actions.open("s");
  await vi.waitFor(() => expect(app.state.conversations["s"]?.load).toBe("ready"));
}

it("says an error in the catalogue's words, with its next step", async () => {
  await drawFailed([]);
  expect(await screen.findByText("Claude Code is too old")).toBeVisible();
  expect(screen.getByRole("button", { name: "Set up Claude Code" })).toBeVisible();
  expect(screen.queryByText("Fix this.")).toBeNull();
});

it("says nothing that the conversation says already", async () => {
  await drawFailed([message("n", [], { role: "notice", notice: { kind: "error", code: "cli_too_old", text: "The Claude Code CLI at /x is version 1.0." } })]);
  expect(screen.queryByText("Claude Code is too old")).toBeNull();
});
