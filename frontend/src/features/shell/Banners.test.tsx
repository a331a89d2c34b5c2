import { screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { Show } from "solid-js";
import { expect, it, vi } from "vitest";
import { session } from "../../../gallery/fixtures";
import type { Session } from "../../host/border.gen";
import { createFakeHost } from "../../host/fake";
import type { Method } from "../../host/host";
import { renderApp } from "../../test/render";
import { SessionBanner } from "./Banners";

it.each<[Partial<Session>, string, string, Method]>([
  [{ deletedAt: 1, archivedAt: 1 }, "This session is in the trash.", "Restore", "session.restore"],
  [{ archivedAt: 1 }, "This session is archived.", "Put back on the list", "session.unarchive"],
  [{ state: "closed" }, "This session is closed.", "Reopen", "session.reopen"],
  [
    { state: "failed", error: { code: "conversation_gone", message: "The CLI no longer knows this conversation.", hint: "Begin a fresh one here." } },
    "The CLI no longer knows this conversation.",
    "Fresh start",
    "session.fresh",
  ],
])("%j says where it is, and brings it back", async (change, text, action, method) => {
  const back = session("s");
  const host = createFakeHost({
    "session.list": () => ({ sessions: [session("s", change)], total: 1 }),
    "permission.list": () => ({ requests: [] }),
    "session.restore": () => back,
    "session.unarchive": () => back,
    "session.reopen": () => back,
    "session.fresh": () => back,
  });
  await renderApp(host, (app) => (
    <Show when={app.state.sessions["s"]}>{(found) => <SessionBanner session={found()} />}</Show>
  ));
  expect(screen.getByText(text)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: action }));
  expect(host.callsOf(method)).toEqual([{ sessionId: "s" }]);
  await vi.waitFor(() => expect(screen.queryByText(text)).toBeNull());
});
