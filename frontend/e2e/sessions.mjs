// The list of sessions in Chromium, with a headless Parley and the real CLI: the user's arrangement survives reloads,
// restarts and crashes.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({
  first: [[text("The first answer.")]],
  second: [[text("The second answer.")]],
  third: [[text("The third answer.")]],
});

const sandbox = new Sandbox("sessions");
const notes = join(sandbox.home, "notes");
mkdirSync(notes);
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const list = () => page.getByRole("navigation", { name: "Sessions" });
const row = (title) => list().locator('[data-slot="session"]').filter({ hasText: title });
const heading = (title) => list().locator('[data-slot="group"], [data-slot="heading"]').filter({ hasText: title });
const dialog = () => page.getByRole("dialog");
const choose = (item) => page.getByRole("menuitem", { name: item }).click();
const say = async (words) => {
  await page.getByRole("textbox", { name: "Prompt" }).fill(words);
  await page.keyboard.press("Enter");
};
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
/** The list as text, from the top: headings and titles, without times. */
const listed = async () => await list().locator('[data-slot="rows"]').evaluate((rows) =>
  [...rows.querySelectorAll('h2, [data-slot="title"]')].map((element) => element.textContent.trim()));
const lists = async (want) => {
  let got;
  await until(`the list to be ${JSON.stringify(want)}`, async () => {
    got = await listed().catch(() => []);
    return JSON.stringify(got) === JSON.stringify(want);
  }).catch((error) => {
    throw new Error(`${error.message}; it is ${JSON.stringify(got)}`);
  });
};
/** The same, ignoring the order of sessions within a workspace. */
const holds = async (want) => {
  const sorted = (names) => JSON.stringify(names.toSorted());
  await until(`the list to hold ${JSON.stringify(want)}`, async () => sorted(await listed().catch(() => [])) === sorted(want));
};
const open = async () => {
  await page.goto("about:blank");
  await page.goto(server.link);
};
/** Calls Parley itself, over a separate socket. */
const ask = async (method, params = {}) => await page.evaluate(([token, method, params]) => new Promise((resolve, reject) => {
  const socket = new WebSocket(new URL("/ws", location.href).href.replace("http", "ws"), ["parley.v1", `token.${token}`]);
  socket.onerror = () => reject(new Error("no socket"));
  socket.onopen = () => socket.send(JSON.stringify({ type: "req", id: "1", method, params }));
  socket.onmessage = (message) => {
    socket.close();
    const { ok, payload, error } = JSON.parse(message.data);
    if (ok) resolve(payload);
    else reject(new Error(error.message));
  };
}), [server.token, method, params]);
/** Creates a session with the dialog, in a typed folder. */
const create = async (folder, title) => {
  await page.keyboard.press("Control+Shift+O");
  await dialog().getByRole("button", { name: "Other folder…" }).click();
  await page.getByRole("combobox").fill(`${folder}/`);
  await page.getByRole("button", { name: /^Open / }).click();
  await dialog().getByRole("radio", { checked: true }).and(page.getByTitle(folder, { exact: true })).waitFor();
  if (title) await dialog().getByRole("textbox", { name: "Title" }).fill(title);
  await dialog().getByRole("button", { name: "Create session" }).click();
  await dialog().waitFor({ state: "detached" });
};

let problems = [];
let arranged = [];
try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);

  await suite.check("an empty list says so, with the next step", async () => {
    await list().getByText("No sessions yet.").waitFor();
    await list().getByRole("button", { name: "New session" }).last().waitFor();
  });

  await suite.check("the dialog makes a session in a folder, with its title, and starts nothing", async () => {
    await create(sandbox.work, "Alpha");
    await row("Alpha").waitFor();
    await heading("project").waitFor();
    equal(sandbox.leftovers().filter((line) => line.includes("claude")), [], "the CLIs that run");
    await say("first");
    await page.getByRole("log").getByText("The first answer.").waitFor();
    await idle();
  });

  await suite.check("another one in another folder is another workspace, named by its prompt", async () => {
    await create(notes);
    await say("second");
    await page.getByRole("log").getByText("The second answer.").waitFor();
    await idle();
    await row("second").waitFor();
    await lists(["notes", "second", "project", "Alpha"]);
    await page.screenshot(shot(sandbox, "two"));
  });

  await suite.check("F2 renames in place, Esc does not", async () => {
    await row("second").getByRole("button").first().focus();
    await page.keyboard.press("F2");
    await page.keyboard.type("never");
    await page.keyboard.press("Escape");
    await row("second").waitFor();
    await page.keyboard.press("F2");
    await list().getByRole("textbox", { name: "Title" }).fill("Beta");
    await page.keyboard.press("Enter");
    await lists(["notes", "Beta", "project", "Alpha"]);
  });

  await suite.check("P pins above the workspaces", async () => {
    await row("Alpha").getByRole("button").first().focus();
    await page.keyboard.press("p");
    await lists(["Pinned", "Alpha", "notes", "Beta"]);
  });

  await suite.check("a session of the same folder comes with one click", async () => {
    await heading("notes").hover();
    await list().getByRole("button", { name: "New session in notes" }).click();
    await page.getByText("What should we work on?").waitFor();
    await say("third");
    await page.getByRole("log").getByText("The third answer.").waitFor();
    await idle();
    await lists(["Pinned", "Alpha", "notes", "third", "Beta"]);
  });

  await suite.check("archiving takes it off the list, undo brings it back", async () => {
    await row("Beta").click({ button: "right" });
    await choose(/^Archive/);
    await lists(["Pinned", "Alpha", "notes", "third"]);
    await list().getByRole("button", { name: "Undo" }).click();
    await holds(["Pinned", "Alpha", "notes", "third", "Beta"]);
  });

  await suite.check("deleting asks and says what stays; undo brings it back", async () => {
    await row("third").click({ button: "right" });
    await choose(/^Delete/);
    await dialog().getByText("transcript stays on disk").waitFor();
    await page.screenshot(shot(sandbox, "delete"));
    await dialog().getByRole("button", { name: "Delete", exact: true }).click();
    await lists(["Pinned", "Alpha", "notes", "Beta"]);
    await list().getByRole("button", { name: "Undo" }).click();
    await holds(["Pinned", "Alpha", "notes", "third", "Beta"]);
  });

  await suite.check("what is in the trash is restored from there", async () => {
    await row("third").getByRole("button").first().focus();
    await page.keyboard.press("Delete");
    await dialog().getByRole("button", { name: "Delete", exact: true }).click();
    await lists(["Pinned", "Alpha", "notes", "Beta"]);
    await list().getByRole("button", { name: "Menu", exact: true }).click();
    await choose("Show trash");
    await lists(["third"]);
    await page.screenshot(shot(sandbox, "trash"));
    await row("third").click({ button: "right" });
    await choose("Restore");
    await list().getByText("The trash is empty.").waitFor();
    await list().getByRole("button", { name: "Back to sessions" }).click();
    await holds(["Pinned", "Alpha", "notes", "third", "Beta"]);
  });

  await suite.check("the archive keeps what was archived", async () => {
    await row("third").getByRole("button").first().focus();
    await page.keyboard.press("a");
    await lists(["Pinned", "Alpha", "notes", "Beta"]);
    await list().getByRole("button", { name: "Menu", exact: true }).click();
    await choose("Show archived sessions");
    await lists(["third"]);
    await list().getByRole("button", { name: "Back to sessions" }).click();
  });

  await suite.check("the switcher goes to a session by a few letters", async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Run a command/ }).fill("alp");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("The first answer.").waitFor();
  });

  await suite.check("the filter finds by folder", async () => {
    await list().getByRole("searchbox").fill("notes");
    await lists(["notes", "Beta"]);
    await page.keyboard.press("Escape");
    arranged = ["Pinned", "Alpha", "notes", "Beta"];
    await lists(arranged);
  });

  await suite.check("after a reload the list is the same", async () => {
    await open();
    await lists(arranged);
  });

  await suite.check("until here the page made no errors", async () => {
    equal(problems, [], "what went wrong");
    await until("the sessions to be shown for good", async () => (await ask("session.list")).sessions.every((s) => s.trouble === ""));
  });

  for (const [how, signal] of [["an orderly end", "SIGTERM"], ["a crash", "SIGKILL"]]) {
    await suite.check(`after ${how} of Parley the list is the same, and so is what was said`, async () => {
      await server.running.stop(signal);
      server = await startServer(sandbox, { env: modelEnv(model), name: `after-${signal}` });
      await open();
      await lists(arranged);
      await row("Beta").getByRole("button").first().click();
      await page.getByRole("log").getByText("The second answer.").waitFor();
      equal(sandbox.leftovers().filter((line) => line.includes("claude")), [], "the CLIs that run");
      // Until the page has reported that it survived, the session counts as one that may have hung it.
      await until("the session to be shown for good", async () => (await ask("session.list")).sessions.every((s) => s.trouble === ""));
    });
  }

  await suite.check("the conversation continues with its past", async () => {
    await say("first again");
    await page.getByRole("log").getByText("The first answer.").waitFor();
    await idle();
    truth(model.heard("The second answer."), "the model was not told what was said before");
    await page.screenshot(shot(sandbox, "restarted"));
  });

  await suite.check("a conversation that the CLI no longer knows waits for a user, who begins afresh", async () => {
    const { sessions } = await ask("session.list");
    const { id, cliSessionId } = sessions.find((s) => s.title === "Beta");
    await ask("session.suspend", { sessionId: id });
    const files = readdirSync(sandbox.dir, { recursive: true }).filter((file) => file.endsWith(`${cliSessionId}.jsonl`));
    equal(files.length, 1, "the transcripts");
    rmSync(join(sandbox.dir, files[0]));
    await say("second again");
    await page.getByText("Claude Code no longer has this conversation").first().waitFor();
    await page.getByText("On hold: its conversation no longer exists").waitFor();
    await page.screenshot(shot(sandbox, "gone"));
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("log").getByText("second again").last().waitFor();
    await until("the answer", async () => (await ask("session.get", { sessionId: id })).queued.length === 0);
    await idle();
    await page.getByRole("button", { name: "New conversation" }).waitFor({ state: "detached" });
    await page.screenshot(shot(sandbox, "afresh"));
  });

  await suite.check("ends and leaves nothing", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await browser.close();
    await sandbox.leavesNothing();
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
