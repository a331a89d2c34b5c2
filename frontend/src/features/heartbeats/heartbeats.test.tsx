import { cleanup, screen, waitFor, within } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { session, workspace } from "../../../gallery/fixtures";
import { brokenFile, heartbeatHandlers, heartbeatRecord, noHeartbeats, pausedHeartbeats, yamlProblems } from "../../../gallery/heartbeats";
import { createFakeHost, type Handlers } from "../../host/fake";
import { HostError } from "../../host/host";
import { setLanguage } from "../../i18n";
import { renderApp } from "../../test/render";
import { HeartbeatsPlace, HeartbeatsPage } from "./HeartbeatsPlace";
import { HeartbeatsLine } from "./HeartbeatsLine";

afterEach(async () => {
  cleanup();
  await setLanguage("en");
});

// Elements under a closing menu ignore clicks briefly, in jsdom longer than a user would notice.
const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 });
const button = (name: string | RegExp) => screen.getByRole("button", { name });

const fake = (change: Handlers = {}) =>
  createFakeHost({
    "session.list": () => ({ sessions: [session("s4", { title: "A run" }), session("s5", { title: "Notes" })], total: 2 }),
    "permission.list": () => ({ requests: [] }),
    "workspace.list": () => ({ workspaces: [workspace("w1", "/home/ada/projects/parley")] }),
    "session.history": () => ({ messages: [], total: 0, hasMore: false, before: "", seq: 0 }),
    "layout.get": ({ window }) => ({ window, layout: {}, updatedAt: 0 }),
    "layout.set": () => ({}),
    ...heartbeatHandlers,
    ...change,
  });

async function draw(change: Handlers = {}, tab = "", name = "") {
  const host = fake(change);
  const app = await renderApp(host, () => <HeartbeatsPage place={{ tab, name }} />);
  app.layout.go({ kind: "heartbeats" });
  await waitFor(() => expect(app.state.workspaceOrder).toEqual(["w1"]));
  return { host, app, close: () => app.layout.close("place:heartbeats") };
}

describe("the list", () => {
  it("says of each what it does, when it is due, what came of it and what it cost", async () => {
    await draw();
    const rows = within(await screen.findByRole("list", { name: "Heartbeats" })).getAllByRole("listitem");
    expect(rows).toHaveLength(5);
    expect(rows[0]).toHaveTextContent(/morning-summary Scheduled.*On weekdays at 8:00 AM|morning-summary ?Scheduled/i);
    expect(rows[1]).toHaveTextContent(/release-watch ?Running for/);
    expect(rows[2]).toHaveTextContent("Turned off automatically after 3 failures in a row. Last error: Claude Code is not signed in.");
    expect(rows[3]).toHaveTextContent(/Off.*Hasn’t run yet/);
    // The program's description, as the page has no words for it.
    expect(rows[4]).toHaveTextContent("at 12:00 on the first Saturday of the month");
    expect(within(rows[1] as HTMLElement).getByRole("button", { name: /^Next run in 5\d minutes\. Next run: / })).toBeVisible();
    expect(rows[0]).toHaveTextContent("$0.63 this month");
  });

  it("switches on and off, and shows what is so when that fails", async () => {
    const { host } = await draw({
      "heartbeat.enable": () => {
        throw new HostError("conflict", "The file has mistakes.");
      },
    });
    const toggle = await screen.findByRole("switch", { name: "Turn on morning-summary" });
    await user.click(toggle);
    expect(host.callsOf("heartbeat.enable")).toEqual([{ name: "morning-summary", enabled: false }]);
    expect(await screen.findByRole("alert")).toHaveTextContent("The file has mistakes.");
    expect(toggle).toBeChecked();
    await user.click(button("Turn on again"));
    expect(host.callsOf("heartbeat.enable").at(-1)).toEqual({ name: "nightly-tests", enabled: true });
  });

  it("runs one now, ends one that runs, and goes to the last run's session", async () => {
    const { host, app } = await draw();
    await user.click(await screen.findByRole("button", { name: "Run morning-summary now" }));
    expect(host.callsOf("heartbeat.run")).toEqual([{ name: "morning-summary" }]);
    expect(await screen.findByText("Started morning-summary.")).toBeInTheDocument();
    await user.click(button("Stop the run of release-watch"));
    expect(host.callsOf("heartbeat.cancel")).toHaveLength(1);
    await user.click(button(/^Failed, .* ago /));
    expect(app.state.current).toBe("s4");
    expect(app.layout.at("heartbeats")).not.toBeNull();
  });

  it("pauses for a while, says until when, and resumes", async () => {
    const { host } = await draw();
    await user.click(await screen.findByRole("button", { name: "Pause all" }));
    await user.click(await screen.findByRole("menuitem", { name: "For an hour" }));
    const [paused] = host.callsOf("heartbeat.pause");
    expect(paused?.paused).toBe(true);
    expect(paused?.until).toBeGreaterThan(Date.now() + 3_500_000);
    cleanup();
    const later = await draw();
    await user.click(await screen.findByRole("button", { name: "Pause all" }));
    await user.click(await screen.findByRole("menuitem", { name: "Until…" }));
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    expect(later.host.callsOf("heartbeat.pause").at(-1)?.until).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    cleanup();
    const other = await draw(pausedHeartbeats);
    expect(await screen.findByText(/^All heartbeats are paused until/)).toBeVisible();
    expect(screen.queryByRole("button", { name: "Pause all" })).toBeNull();
    await user.click(button("Resume"));
    expect(other.host.callsOf("heartbeat.pause")).toEqual([{ paused: false }]);
  });

  it("duplicates, shows the history, and asks by name before it deletes", async () => {
    const { host } = await draw();
    const menu = async (item: string) => {
      await user.click(await screen.findByRole("button", { name: "More actions for release-watch" }));
      await user.click(await screen.findByRole("menuitem", { name: item }));
    };
    await menu("Duplicate…");
    expect(await screen.findByLabelText("Name")).toHaveValue("release-watch-2");
    await user.click(await screen.findByRole("button", { name: "Save" }));
    await waitFor(() => expect(host.callsOf("heartbeat.save")[0]).toMatchObject({ spec: { name: "release-watch-2", schedule: { every: "2h" }, budgets: { run: { usd: 0.5 } } } }));
    expect(host.callsOf("heartbeat.save")[0]).not.toHaveProperty("name");
    await menu("Delete…");
    const ask = await screen.findByRole("dialog", { name: "Delete “release-watch”?" });
    await user.click(within(ask).getByRole("button", { name: "Delete" }));
    expect(host.callsOf("heartbeat.delete")).toEqual([{ name: "release-watch" }]);
  });

  it("says what is wrong with the file, and goes to the line", async () => {
    await draw(brokenFile);
    expect(await screen.findByText("heartbeats.yaml has errors. The last valid version is in use.")).toBeVisible();
    await user.click(button("Go to Line 14, column 5 in the file"));
    const editor = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "heartbeats.yaml" });
    await waitFor(() => expect(editor).toHaveFocus());
    expect(editor.value.slice(0, editor.selectionStart).split("\n")).toHaveLength(14);
  });

  it("teaches when there is none, with examples that do nothing before they are saved", async () => {
    const { host } = await draw(noHeartbeats);
    await user.click(await screen.findByRole("button", { name: /^Nightly test run/ }));
    expect(await screen.findByLabelText("Name")).toHaveValue("nightly-tests");
    expect(await screen.findByText("Runs every day at 2:30 AM.")).toBeVisible();
    expect(host.callsOf("heartbeat.save")).toEqual([]);
    await user.click(button("Cancel"));
    expect(await screen.findByRole("button", { name: "Start from scratch" })).toBeVisible();
  });

  it("says why it could not be read", async () => {
    const { host } = await draw({
      "heartbeat.list": () => {
        throw new HostError("unavailable", "Another Parley has them.");
      },
    });
    expect(await screen.findByText("Another Parley has them.")).toBeVisible();
    host.on("heartbeat.list", heartbeatHandlers["heartbeat.list"]!);
    await user.click(button("Try again"));
    expect(await screen.findByText("morning-summary")).toBeVisible();
  });
});

describe("the form", () => {
  const open = async (change: Handlers = {}) => {
    const drawn = await draw({ ...noHeartbeats, ...change });
    await user.click(await screen.findByRole("button", { name: "Start from scratch" }));
    await screen.findByLabelText("Name");
    return drawn;
  };

  it("is quiet about what was not touched, and says what is missing when it is to be saved", async () => {
    const { host } = await open();
    await waitFor(() => expect(host.callsOf("heartbeat.check").length).toBeGreaterThan(0));
    expect(screen.queryByText("Enter a prompt.")).toBeNull();
    await user.click(screen.getByLabelText("Name"));
    await user.tab();
    expect(await screen.findByText("Enter a name.")).toBeVisible();
    expect(screen.queryByText("Enter a prompt.")).toBeNull();
    await user.click(button("Save"));
    expect(await screen.findByText("Enter a prompt.")).toBeVisible();
    expect(screen.getByLabelText("Name")).toHaveAccessibleDescription(/Enter a name\./);
    await waitFor(() => expect(screen.getByLabelText("Name")).toHaveFocus());
    expect(host.callsOf("heartbeat.save")).toEqual([]);
  });

  it("writes a schedule in the usual ways, says it in words and when it would run", async () => {
    const { host } = await open();
    const last = () => host.callsOf("heartbeat.check").at(-1)?.spec?.schedule;
    await user.selectOptions(screen.getByLabelText("Repeats"), "Weekly");
    await user.click(screen.getByRole("checkbox", { name: "Wednesday" }));
    await waitFor(() => expect(last()).toEqual({ cron: "0 9 * * 1,3" }));
    expect(await screen.findByText("Runs every Monday and Wednesday at 9:00 AM.")).toBeVisible();
    expect(screen.getAllByText(/^in \d+ days?$|^tomorrow$/).length).toBeGreaterThan(2);
    await user.selectOptions(screen.getByLabelText("Time zone"), "Asia/Tokyo");
    await user.click(screen.getByRole("checkbox", { name: /^Run once, then turn off/ }));
    await waitFor(() => expect(last()).toEqual({ cron: "0 9 * * 1,3", zone: "Asia/Tokyo", once: true }));
    await user.selectOptions(screen.getByLabelText("Repeats"), "At an interval");
    await user.clear(screen.getByLabelText("Every"));
    await user.type(screen.getByLabelText("Every"), "6");
    await waitFor(() => expect(last()).toEqual({ every: "6h", zone: "Asia/Tokyo", once: true }));
    await user.selectOptions(screen.getByLabelText("Repeats"), "Cron expression");
    await user.clear(screen.getByLabelText("Cron expression"));
    await user.type(screen.getByLabelText("Cron expression"), "*/5 * * * *");
    expect(await screen.findByText("Runs every 5 minutes (Asia/Tokyo), once only.")).toBeVisible();
  });

  it("saves all that it has, without what is as usual", async () => {
    const { host } = await open();
    await user.type(screen.getByLabelText("Name"), "watch");
    await user.type(screen.getByLabelText("Prompt"), "Look at ");
    await user.click(screen.getByText("Insert placeholder"));
    await user.click(button(/^\{\{workspace\}\}/));
    await user.click(screen.getByRole("radio", { name: /^An existing session/ }));
    await user.selectOptions(await screen.findByLabelText("Session to use"), "Notes");
    await user.type(screen.getByLabelText("US dollars per day"), "2.5");
    await user.click(screen.getByText("Exceptions and time limits"));
    await user.click(screen.getByRole("checkbox", { name: "Quiet hours" }));
    await user.selectOptions(screen.getByLabelText("If still running when due"), "Wait, then run once");
    await user.type(screen.getByLabelText("Time limit for a run"), "30");
    await user.click(button("Save"));
    await waitFor(() => expect(host.callsOf("heartbeat.save")).toHaveLength(1));
    expect(host.callsOf("heartbeat.save")[0]).toEqual({
      spec: {
        name: "watch", prompt: "Look at {{workspace}}", schedule: { cron: "0 9 * * *" }, folder: "/home/ada/projects/parley", enabled: true, destination: { session: "s5" },
        quiet: { from: "22:00", to: "07:00" }, overlap: "queue", timeout: "30m", budgets: { day: { usd: 2.5 } },
      },
    });
    expect(await screen.findByText("Saved watch.")).toBeInTheDocument();
  });

  it("stays with what was written when saving fails, and asks before it is lost", async () => {
    const { app, close } = await open({
      "heartbeat.save": () => {
        throw new HostError("conflict", "There is a heartbeat with this name.");
      },
    });
    await user.type(screen.getByLabelText("Name"), "watch");
    await user.type(screen.getByLabelText("Prompt"), "Look");
    await user.click(button("Save"));
    expect(await screen.findByText("There is a heartbeat with this name.")).toBeVisible();
    close();
    const ask = await screen.findByRole("dialog", { name: "Discard changes?" });
    await user.click(within(ask).getByRole("button", { name: "Keep editing" }));
    expect(app.layout.at("heartbeats")).not.toBeNull();
    expect(screen.getByLabelText("Name")).toHaveValue("watch");
    close();
    await user.click(await screen.findByRole("button", { name: "Discard" }));
    expect(app.layout.at("heartbeats")).toBeNull();
  });
});

describe("a dry run", () => {
  it("shows what would be sent and what it may cost, and says when nobody knows", async () => {
    const { host } = await draw();
    const dry = async (name: string) => {
      await user.click(await screen.findByRole("button", { name: `More actions for ${name}` }));
      await user.click(await screen.findByRole("menuitem", { name: "Dry run…" }));
    };
    await dry("morning-summary");
    expect(await screen.findByText(/^It is Saturday, 21 November 2026/)).toBeVisible();
    expect(screen.getByText(/About 18k tokens and \$0\.04 per run/)).toBeVisible();
    expect(screen.getByText("Due 22 times in the next 30 days: about $0.92")).toBeVisible();
    await user.click(await screen.findByRole("button", { name: "Back to list" }));
    await dry("dependency-check");
    expect(await screen.findByText(/No estimate until the first run\./)).toBeVisible();
    expect(host.callsOf("heartbeat.run")).toEqual([]);
    await user.click(await screen.findByRole("button", { name: "Run now" }));
    expect(host.callsOf("heartbeat.run")).toEqual([{ name: "dependency-check" }]);
  });
});

describe("the file", () => {
  const editor = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "heartbeats.yaml" });

  it("is checked while it is written, and saved against the revision that was read", async () => {
    const { host } = await draw({}, "file");
    const box = await editor();
    await user.type(box, "{Control>}{End}{/Control}# 1-9");
    expect(await screen.findByRole("button", { name: "Line 6, column 13" })).toBeVisible();
    expect(screen.getByText(yamlProblems[1]?.message ?? "")).toBeVisible();
    await user.click(button("Save file"));
    await waitFor(() => expect(host.callsOf("heartbeat.setFile")).toHaveLength(1));
    expect(host.callsOf("heartbeat.setFile")[0]).toMatchObject({ revision: "a1", text: expect.stringContaining("# 1-9") });
  });

  it("asks whose words are to stay when another user has changed it", async () => {
    let [saved, revision] = ["theirs: 1\n", "a1"];
    const { host } = await draw(
      {
        "heartbeat.getFile": () => ({ text: saved, revision }),
        "heartbeat.setFile": ({ text, revision: of }) => {
          if (of !== revision) throw new HostError("conflict", "The file was changed.");
          [saved, revision] = [text, "a3"];
          return { text, revision };
        },
      },
      "file",
    );
    await user.type(await editor(), "mine");
    revision = "a2";
    await user.click(button("Save file"));
    expect(await screen.findByText(/changed the file in the meantime/)).toBeVisible();
    await user.click(button("Overwrite with mine"));
    await waitFor(() => expect(host.callsOf("heartbeat.setFile").at(-1)).toMatchObject({ revision: "a2" }));
    expect(await screen.findByText("File saved.")).toBeVisible();
    expect((await editor()).value).toContain("mine");
  });

  it("is read again when it was changed and nothing is lost by that", async () => {
    let text = "one: 1\n";
    const list = await Promise.resolve(heartbeatHandlers["heartbeat.list"]!({}));
    let revision = "a1";
    const { host } = await draw({ "heartbeat.getFile": () => ({ text, revision }), "heartbeat.list": () => structuredClone({ ...list, revision }) }, "file");
    expect((await editor()).value).toBe("one: 1\n");
    [text, revision] = ["two: 2\n", "a2"];
    host.emitGlobal({ event: "heartbeats.changed", payload: { running: 0, failed: 0, nextAt: 0, paused: false } });
    await waitFor(async () => expect((await editor()).value).toBe("two: 2\n"));
  });
});

describe("the history", () => {
  it("has a plot that is walked with the arrows, a day and its records, and pages", async () => {
    const { host } = await draw({}, "history");
    const grid = await screen.findByRole("grid", { name: "Last 4 weeks" });
    const records = () => screen.getByRole("table").querySelectorAll("tbody tr").length;
    expect(grid.querySelectorAll('[role="gridcell"] > button')).toHaveLength(5 * 28);
    const today = grid.querySelector<HTMLElement>('[tabindex="0"]');
    expect(today?.dataset["at"]).toBe("0:27");
    today?.focus();
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowLeft}");
    expect(document.activeElement).toHaveAccessibleName(/: 1 × Failed$/);
    await user.keyboard("{Home}");
    expect(document.activeElement?.getAttribute("data-at")).toBe("2:0");
    await user.keyboard("{End}{ArrowLeft}{Enter}");
    expect(await screen.findByText(/^Day: /)).toBeVisible();
    expect(screen.getByLabelText("nightly-tests")).toBeInTheDocument();
    expect(records()).toBeLessThan(10);
    await user.click(screen.getByText("Show all days in the table"));
    expect(records()).toBe(50);
    await user.click(screen.getByText("Show older"));
    await waitFor(() => expect(records()).toBe(100));
    expect(host.callsOf("heartbeat.history")[0]).toEqual({ limit: 1000 });
  });

  it("is narrowed to a heartbeat and an outcome, and goes to the session", async () => {
    const { host, app } = await draw({}, "history", "nightly-tests");
    await screen.findByRole("grid");
    expect(host.callsOf("heartbeat.history")[0]).toEqual({ limit: 1000, name: "nightly-tests" });
    await user.selectOptions(screen.getByLabelText("Outcome"), "Failed");
    const rows = within(screen.getByRole("table")).getAllByRole("row").slice(1);
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.every((row) => row.textContent.includes("Claude Code is not signed in."))).toBe(true);
    await user.click(within(rows[0] as HTMLElement).getByRole("button", { name: /^Open session of nightly-tests/ }));
    expect(app.state.current).toBe("s4");
  });

  it("says which days are not complete, and what stands for many", async () => {
    const now = Date.now();
    await draw(
      {
        "heartbeat.history": ({ before }) => {
          const from = Number(before ?? 0);
          return { records: Array.from({ length: 1000 }, (_, i) => heartbeatRecord(`${from + i + 1}`, "busy", now - (from + i) * 2000, i === 3 ? { state: "skipped", code: "paused", count: 7, firstAt: now - 60_000 } : {})), more: true };
        },
      },
      "history",
    );
    expect(await screen.findByText(/^Too many runs to count\. Days before/)).toBeVisible();
    expect(await screen.findByText(/^7 times, since /)).toBeVisible();
    expect(screen.getByText("Heartbeats were paused.")).toBeVisible();
  });

  it("says that nothing has run, and why it cannot be read", async () => {
    await draw(noHeartbeats, "history");
    expect(await screen.findByText("No runs yet.")).toBeVisible();
    expect(screen.getByText("No runs due.")).toBeVisible();
    cleanup();
    await draw(
      {
        "heartbeat.history": () => {
          throw new HostError("internal", "The ledger cannot be read.");
        },
      },
      "history",
    );
    expect(await screen.findByText("The ledger cannot be read.")).toBeVisible();
  });
});

describe("around it", () => {
  it("says in the sidebar what matters most, and opens the page", async () => {
    const host = fake();
    const app = await renderApp(host, () => (
      <>
        <HeartbeatsLine />
        <HeartbeatsPlace />
      </>
    ));
    expect(await screen.findByRole("button", { name: "Heartbeats 1 stopped" })).toBeVisible();
    const tell = (change: object) => host.emitGlobal({ event: "heartbeats.changed", payload: { running: 0, failed: 0, nextAt: 0, paused: false, ...change } });
    tell({ running: 2 });
    expect(button("Heartbeats 2 running")).toBeVisible();
    tell({ paused: true });
    expect(button("Heartbeats paused")).toBeVisible();
    tell({ nextAt: Date.now() + 7_200_500 });
    expect(button("Heartbeats next in 2 hours")).toBeVisible();
    tell({});
    await user.click(button("Heartbeats"));
    expect(app.layout.shows("heartbeats")).toBe(true);
    expect(await screen.findByRole("heading", { name: "Heartbeats" })).toBeVisible();
  });

  it("speaks German", async () => {
    await setLanguage("de");
    await draw();
    expect(await screen.findByText("werktags um 08:00")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Alle pausieren" })).toBeVisible();
  });
});
