import { screen, waitFor } from "@solidjs/testing-library";
import { beforeEach, expect, test } from "vitest";
import { event, question, session, user } from "../../../gallery/fixtures";
import type { Message } from "../../host/border.gen";
import { createFakeHost, type FakeHost } from "../../host/fake";
import { setLanguage } from "../../i18n";
import { renderApp } from "../../test/render";
import { QuestionDock } from "../approval/QuestionDock";
import { createRecall } from "../composer/recall";
import { UserText } from "../timeline/UserText";

beforeEach(() => setLanguage("en"));

const alice = { via: "mattermost", username: "alice", name: "Alice Meyer" };
const said: Message = { ...user("u1", "Does it wait?"), author: alice };

const fake = (): FakeHost =>
  createFakeHost({
    "session.list": () => ({ sessions: [session("s1")], total: 1 }),
    "permission.list": () => ({ requests: [question("s1", "q1")] }),
    "workspace.list": () => ({ workspaces: [] }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    "session.history": () => ({ messages: [said, user("u2", "Does it wait long?")], total: 2, hasMore: false, before: "", seq: 0 }),
  });

test("a prompt from the chat says who wrote it, to the eye and to the ear", async () => {
  await renderApp(fake(), () => (
    <>
      <UserText message={{ id: "u1", role: "user", at: 0, blockIds: [], author: alice }} text="Does it wait?" sessionId="s1" />
      <UserText message={{ id: "u2", role: "user", at: 0, blockIds: [], author: { ...alice, name: "" } }} text="And then?" sessionId="s1" />
      <UserText message={{ id: "u3", role: "user", at: 0, blockIds: [] }} text="No." sessionId="s1" />
    </>
  ));
  expect(screen.getAllByTitle("@alice").map((shown) => shown.textContent)).toEqual(["Alice Meyer in Mattermost", "@alice in Mattermost"]);
  const names = screen.getAllByRole("heading", { level: 2 }).map((heading) => heading.textContent);
  expect(names).toEqual([expect.stringMatching(/^Alice Meyer in Mattermost, /), expect.stringMatching(/^@alice in Mattermost, /), expect.stringMatching(/^You, /)]);
});

test("names of people show what would not be seen of them", async () => {
  await renderApp(fake(), () => <UserText message={{ id: "u1", role: "user", at: 0, blockIds: [], author: { ...alice, name: "\u202eecilA<b>" } }} text="x" sessionId="s1" />);
  expect(screen.getByTitle("@alice")).not.toHaveTextContent("\u202e");
  expect(screen.getByTitle("@alice")).toHaveTextContent("ecilA<b>");
});

test("who answered a question in the chat is shown where it was asked", async () => {
  const host = fake();
  await renderApp(host, () => <QuestionDock sessionId="s1" />);
  host.emit(event("permission_resolved", "s2", 1, { requestId: "other", outcome: "deny", by: "@eve in Mattermost" }));
  host.emit(event("permission_resolved", "s1", 1, { requestId: "q1", outcome: "allow", by: "@alice in Mattermost" }));
  expect(await screen.findByText("@alice in Mattermost answered: allowed.")).toBeVisible();
  expect(screen.queryByText(/@eve/)).toBeNull();
});

test("an earlier prompt has who wrote it", async () => {
  const host = fake();
  const app = await renderApp(host, () => null);
  app.actions.open("s1");
  await waitFor(() => expect(app.state.conversations["s1"]?.order).toEqual(["u1", "u2"]));
  const recall = createRecall(host, app.state, () => "s1");
  expect(recall.authorOf("Does it wait?")).toEqual(alice);
  expect(recall.authorOf("Does it wait long?")).toBeUndefined();
});
