import { cleanup, screen, waitFor, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { info, question, session, workspace } from "../../../gallery/fixtures";
import { permissionHandlers, rule } from "../../../gallery/permissions";
import type { OpenQuestion } from "../../host/border.gen";
import { createFakeHost, type Handlers } from "../../host/fake";
import { HostError } from "../../host/host";
import { renderApp } from "../../test/render";
import { GUARD_MS } from "../approval/answer";
import { forgetKept } from "../approval/draft-answers";
import { PermissionsPlace } from "./PermissionsPlace";
import { WaitingButton } from "./WaitingButton";
import { WaitingDialog } from "./WaitingDialog";

afterEach(() => {
  cleanup();
  forgetKept();
  vi.useRealTimers();
});

const user = userEvent.setup({ delay: null });
const button = (name: string | RegExp) => screen.getByRole("button", { name });

async function draw(tab: string, change: Handlers = {}, open: OpenQuestion[] = []) {
  const host = createFakeHost({
    "session.list": () => ({ sessions: [session("s1", { title: "One" }), session("s2", { title: "Two" })], total: 2 }),
    "permission.list": () => ({ requests: open }),
    "workspace.list": () => ({ workspaces: [workspace("w1", "/home/ada/projects/parley")] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    ...permissionHandlers,
    ...change,
  });
  const app = await renderApp(host, () => (
    <>
      <WaitingButton />
      <PermissionsPlace />
      <WaitingDialog />
    </>
  ), info());
  await waitFor(() => expect(app.state.workspaceOrder).toEqual(["w1"]));
  app.layout.open("s1");
  if (tab === "waiting") app.layout.setOverlay({ kind: "waiting" });
  else app.layout.go({ kind: "permissions", tab });
  return { host, app };
}

describe("rules", () => {
  test("stand where they hold, with their uses, end and note, and the CLI's own with their file", async () => {
    const { host } = await draw("rules");
    await screen.findByText("Bash(git push:*)");
    expect(host.callsOf("rule.list")).toEqual([{ sessionId: "s1" }]);
    expect(screen.getAllByRole("heading", { level: 3 }).map((h) => h.textContent)).toEqual([
      "Everywhere", "In parley", "In the session “One”", "Claude Code’s own rules",
    ]);
    expect(screen.getByText(/used 14 times since Parley started/)).toBeVisible();
    expect(screen.getByText("While the manual is being written")).toBeVisible();
    expect(screen.getByText("~/.claude/settings.json")).toBeVisible();
    expect(screen.getByText("Built into Parley (1)")).toBeVisible();
    expect(screen.queryByRole("button", { name: /^Delete Read\(\/home\/ada\/.local/ })).toBeNull();
    await user.type(screen.getByRole("searchbox"), "manual");
    expect(screen.getAllByRole("button", { name: /^Delete / })).toHaveLength(1);
  });

  test("one that is revoked comes back as it was, with its own end", async () => {
    const end = Date.now() + 3_600_000;
    const one = rule("r", "Bash(go test:*)", { scope: "workspace", scopeId: "w1", expiresAt: end, note: "n" });
    let there = [one];
    const { host } = await draw("rules", {
      "rule.list": () => ({ rules: there, cli: { rules: [], source: "files", problems: [] } }),
      "rule.remove": () => ((there = []), {}),
      "rule.add": () => ((there = [one]), one),
    });
    await user.click(await screen.findByRole("button", { name: "Delete Bash(go test:*)" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Delete/ })).toBeNull());
    expect(screen.getByText("No rules yet. The permission mode decides when Parley asks you.")).toBeVisible();
    expect(button("Undo")).toHaveFocus();
    await user.click(button("Undo"));
    await screen.findByRole("button", { name: "Delete Bash(go test:*)" });
    expect(host.callsOf("rule.add")).toEqual([{ effect: "allow", text: "Bash(go test:*)", scope: "workspace", scopeId: "w1", note: "n", expiresAt: end }]);
    expect(screen.getByRole("searchbox")).toHaveFocus();
  });

  test("what the program says of a new one stands beside it, and nothing is lost", async () => {
    const { host } = await draw("rules", {
      "rule.add": () => {
        throw new HostError("invalid", "This rule is not valid: the parenthesis is not closed.");
      },
    });
    await user.click(await screen.findByRole("button", { name: "New rule" }));
    const form = within(screen.getByRole("group", { name: "New rule" }));
    const field = form.getByRole("textbox", { name: "Rule" });
    expect(field).toHaveFocus();
    await user.type(field, "Bash(ls");
    await user.click(form.getByRole("radio", { name: "Deny" }));
    await user.selectOptions(form.getByRole("combobox", { name: "Where" }), "In parley");
    await user.selectOptions(form.getByRole("combobox", { name: "How long" }), "For an hour");
    await user.click(form.getByRole("button", { name: "Create rule" }));
    await waitFor(() => expect(field).toHaveAccessibleDescription(/the parenthesis is not closed/));
    expect(field).toHaveValue("Bash(ls");
    expect(host.callsOf("rule.add")).toEqual([{ effect: "deny", text: "Bash(ls", scope: "workspace", scopeId: "w1", note: "", expiry: "hour" }]);
    host.on("rule.add", () => rule("new", "Bash(ls)"));
    await user.type(field, ")");
    expect(field).toHaveAttribute("aria-invalid", "false");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(screen.queryByRole("group", { name: "New rule" })).toBeNull());
  });

  test("a change that is being written stays when rules change elsewhere; its end stays as it is", async () => {
    const { host } = await draw("rules");
    await user.click(await screen.findByRole("button", { name: /^Edit Edit\(/ }));
    const form = within(screen.getByRole("group", { name: "Edit rule" }));
    await user.type(form.getByRole("textbox", { name: "Note" }), "!");
    host.emitGlobal({ event: "rules.changed", payload: {} });
    await waitFor(() => expect(host.callsOf("rule.list")).toHaveLength(2));
    expect(form.getByRole("textbox", { name: "Note" })).toHaveValue("While the manual is being written!");
    await user.click(form.getByRole("button", { name: "Save" }));
    expect(host.callsOf("rule.set")).toEqual([
      { id: "r2", effect: "allow", text: "Edit(/home/ada/projects/parley/docs/**)", scope: "workspace", scopeId: "w1", note: "While the manual is being written!" },
    ]);
  });

  test("are copied into the CLI's settings only where a user says", async () => {
    const { host } = await draw("rules");
    await user.click(await screen.findByRole("button", { name: /^Copy Bash\(git push/ }));
    const choices = within(screen.getByRole("group", { name: /^Copy to Claude Code’s settings/ }));
    expect(host.callsOf("rule.copyToCli")).toEqual([]);
    await user.click(choices.getByRole("radio", { name: "Yours, for all folders" }));
    await user.click(button("Copy"));
    expect(await screen.findByText("Added to /home/ada/.claude/settings.json.")).toBeVisible();
    expect(host.callsOf("rule.copyToCli")).toEqual([{ id: "r3", destination: "user" }]);
  });

  test("that cannot be read say why, and can be asked for again", async () => {
    const { host } = await draw("rules", {
      "rule.list": () => {
        throw new HostError("unavailable", "The disk is full.");
      },
    });
    expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
    host.on("rule.list", () => ({ rules: [], cli: { rules: [], source: "files", problems: [] } }));
    await user.click(button("Try again"));
    await screen.findByText("No rules yet. The permission mode decides when Parley asks you.");
  });
});

test("trying out follows what is written, and what it offers can be made", async () => {
  const { host } = await draw("try");
  await user.type(await screen.findByRole("textbox", { name: "Command" }), "curl");
  await screen.findByText("Would ask you.");
  expect(host.callsOf("rule.test").at(-1)).toEqual({ tool: "Bash", input: { command: "curl" }, sessionId: "s1" });
  const parts = within(screen.getByRole("list", { name: "Parts of this command" })).getAllByRole("listitem");
  expect(parts.map((part) => within(part).getByRole("img").getAttribute("aria-label"))).toEqual(["Allowed", "Asks", "Asks"]);
  await user.click(button("Create rule Bash(curl:*)"));
  expect(host.callsOf("rule.add")).toEqual([{ effect: "allow", text: "Bash(curl:*)", scope: "global" }]);
  await user.selectOptions(screen.getByRole("combobox", { name: "Tool" }), "Another tool…");
  await user.type(screen.getByRole("textbox", { name: "Tool name" }), "Task");
  await user.type(screen.getByRole("textbox", { name: "Input as JSON" }), "[[");
  expect(screen.getByRole("alert")).toHaveTextContent("Enter a JSON object.");
});

test("an answer for a folder is forgotten, and Esc still closes", async () => {
  let folders = [{ folder: "/a", hash: "h", choice: "bare", at: 1, by: "window" }];
  const { host, app } = await draw("folders", { "trust.list": () => ({ folders }), "trust.forget": () => ((folders = []), {}) });
  await user.click(await screen.findByRole("button", { name: "Forget the decision for /a" }));
  await screen.findByText("No folders decided yet.");
  expect(host.callsOf("trust.forget")).toEqual([{ folder: "/a" }]);
  expect(app.layout.panel("permissions")).toContainElement(document.activeElement as HTMLElement);
});

test("auto-approve lists what it allowed, and leads there", async () => {
  const { app } = await draw("guard");
  const list = await screen.findByRole("list", { name: "Recently auto-approved" });
  expect(list).toHaveTextContent("Bash: ls -la");
  expect(screen.getByText("Left to you by AI review").nextSibling).toHaveTextContent("2");
  await user.click(button("Two"));
  expect(app.state.current).toBe("s2");
});

test("the log is narrowed, checked and opened", async () => {
  const { host } = await draw("log");
  const list = await screen.findByRole("list", { name: "Log" });
  expect(within(list).getAllByRole("listitem")).toHaveLength(7);
  await user.selectOptions(screen.getByRole("combobox", { name: "Answered by" }), "Auto-approve");
  expect(host.callsOf("audit.list").at(-1)).toEqual({ by: "guard" });
  await user.click(button("Show older entries"));
  expect(host.callsOf("audit.list").at(-1)).toEqual({ by: "guard", before: 3 });
  expect(within(list).getAllByRole("listitem")).toHaveLength(14);
  await user.click(button("Verify log"));
  expect(await screen.findByText(/all 1,482 entries/)).toBeVisible();
  host.on("audit.verify", () => ({ ok: false, records: 5, files: 1, missing: 1, head: "x", problem: "Record 3 was changed." }));
  await user.click(button("Verify log"));
  expect(await screen.findByText(/Record 3 was changed\. 1 entry couldn’t be written\./)).toBeVisible();
  await user.click(within(list).getAllByRole("button")[1]!);
  expect(within(list).getByText("Entry hash")).toBeVisible();
});

describe("what waits", () => {
  beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));

  test("is listed over all sessions, the oldest first; none means no button", async () => {
    const { app, host } = await draw("waiting", {}, [
      question("s1", "q2", { askedAt: Date.now() - 1000, kind: "plan", toolName: "ExitPlanMode", input: { plan: "x" } }),
      question("s2", "q1", { askedAt: Date.now() - 60_000 }),
      question("s2", "q0", { askedAt: 1, decided: "rule" }),
    ]);
    const rows = await screen.findAllByRole("button", { name: /^Go to (?:One|Two)/ });
    expect(rows.map((row) => row.getAttribute("aria-label")?.split(":")[0])).toEqual(["Go to Two", "Go to One"]);
    expect(rows[0]).toHaveTextContent("waiting 1 m");
    // A plan is reviewed in its session.
    expect(screen.getAllByRole("button", { name: "Answer here" })).toHaveLength(1);
    expect(screen.getAllByRole("button", { name: "Open request" })).toHaveLength(1);
    expect(screen.getByText("2 waiting for you")).toBeInTheDocument();
    for (const requestId of ["q1", "q2"]) {
      host.emit({ event: "permission_resolved", payload: { sessionId: requestId === "q1" ? "s2" : "s1", seq: 1, at: 1, requestId, outcome: "allow" } });
    }
    await screen.findByText("Nothing is waiting for you.");
    expect(screen.queryByText(/\d waiting for you/)).toBeNull();
    expect(app.layout.overlay()).toEqual({ kind: "waiting" });
  });

  test("is answered there, not before its time, and late answers are told of", async () => {
    const { host, app } = await draw("waiting", { "permission.respond": () => ({ won: false, outcome: "deny", by: "gateway", at: 1, rules: [] }) }, [question("s2", "q1")]);
    await user.click(await screen.findByRole("button", { name: "Answer here" }));
    const allow = button(/^Allow Ctrl/);
    await user.click(allow);
    expect(host.callsOf("permission.respond")).toEqual([]);
    await vi.advanceTimersByTimeAsync(GUARD_MS);
    await user.click(allow);
    expect(host.callsOf("permission.respond")).toEqual([{ requestId: "q1", behavior: "allow" }]);
    expect(await screen.findByText(/Someone in a browser answered first \(denied/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: /^Go to Two:/ }));
    expect(app.state.current).toBe("s2");
  });
});
