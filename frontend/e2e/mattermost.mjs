// Mattermost in Chromium, with a headless Parley, the real CLI and an in-memory Mattermost: it is set up from scratch,
// colleagues work in threads while the same sessions are viewed in the page, and a session of the page is mirrored to a
// thread.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./kit/axe.mjs";
import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { startMattermost } from "./kit/mattermost.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const touch = (name) => [tool("Bash", { command: `touch ${name}`, description: `Make ${name}` })];
const colours = [{ label: "Red", description: "warm" }, { label: "Blue", description: "cold" }];
/** Three times what a post can hold. */
const lines = Array.from({ length: 1_000 }, (_, i) => `Line ${String(i + 1).padStart(4, "0")} of an answer that is far too long for one post.`);
/** The plan file that the CLI names in its prompt. */
const planFile = (body) => /(\/[^\s"\\]+\/plans\/[^\s"\\]+?\.md)\b/.exec(body)?.[1] ?? "";
const answerOfAll = "It holds 42 files:\n\n- most are **tests**\n- `main.go` begins it";
const model = await startModel({
  "first file": [touch("first.txt"), [text("The first file is there.")]],
  "second file": [touch("second.txt"), [text("The second file is there.")]],
  "what it holds": [[text(answerOfAll)]],
  "a colour": [[tool("AskUserQuestion", { questions: [{ question: "Which colour?", header: "Colour", multiSelect: false, options: colours }] })], [text("So it is blue.")]],
  "plan the work": (results, body) =>
    [[tool("Write", { file_path: planFile(body), content: "# Measure first\n\n1. Measure\n2. Cut" })], [tool("ExitPlanMode", {})], [text("The plan stands.")]][Math.min(results, 2)],
  "wait for me": [[text("Now I wait. "), { type: "hold" }]],
  "in the picture": (_results, body) => [text(body.includes('"type":"image"') ? "I see a picture." : "I see nothing.")],
  everything: [[{ ...text(lines.join("\n\n")), pieces: lines.map((line) => `${line}\n\n`) }]],
  "from the desk": [[text("Good morning, desk.")]],
  "from the thread": [[text("Good morning, thread.")]],
});

const sandbox = new Sandbox("mattermost");
let page;
let server;
let chat;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const dialog = () => place(page, "Mattermost");
const button = (name, on = dialog()) => on.getByRole("button", { name });
const list = () => page.getByRole("navigation", { name: "Sessions" });
const log = () => page.getByRole("log", { name: "Conversation" });
const question = () => page.getByRole("region", { name: "Question" }).and(page.locator('[data-phase="ready"]'));
const answers = () => log().locator('[data-role="assistant"] [data-slot="text"]');
const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
/** The thread of the colleague's session. */
let thread;

try {
  chat = await startMattermost(sandbox);
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: { ...modelEnv(model), ...chat.env } });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).waitFor();

  await suite.check("the server and its token are tried, and what is wrong stands at the field", async () => {
    await page.keyboard.press("Alt+t");
    await button("Connect a server").click();
    await until("the address of the environment", async () => (await dialog().getByLabel("Address").inputValue()) === chat.url);
    await dialog().getByLabel("Token", { exact: true }).fill("notthetoken0123456789abcd");
    await button("Test connection").click();
    const field = dialog().locator('[data-slot="field"]', { hasText: "Token" });
    await field.locator('[data-slot="invalid"]').first().waitFor();
    await button("Next").click();
    await dialog().getByText("Test the connection first.").waitFor();
    await dialog().getByLabel("Token", { exact: true }).fill("");
    await button("Test connection").click();
    await dialog().getByText("Signed in as @parley.").waitFor();
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "server"));
    await button("Next").click();
  });

  await suite.check("a channel gets a folder, which stays when the page is left and come back to", async () => {
    await dialog().getByRole("searchbox", { name: "Find a channel" }).fill("general");
    await button(/^Add .*general/i).click();
    // Results cover the content below, and must not move while the pointer is down.
    await dialog().getByRole("searchbox", { name: "Find a channel" }).click();
    await button(/^Add .*general/i).waitFor();
    await button("Other folder…").click();
    await page.getByRole("combobox", { name: "Filter or path" }).fill(sandbox.work);
    await page.getByRole("button", { name: "Open project" }).click();
    await button("Done").click();
    await page.keyboard.press("Alt+w");
    await dialog().waitFor({ state: "detached" });
    truth(!existsSync(join(sandbox.data, "chat.json")), "nothing is saved yet");
    await page.keyboard.press("Alt+t");
    await dialog().getByText("~/project", { exact: true }).first().waitFor();
    await button("Next").click();
  });

  await suite.check("the user comes first and administers; a colleague may write", async () => {
    const find = dialog().getByRole("searchbox", { name: "Find a person" });
    await dialog().getByText("No one is listed").waitFor();
    await find.fill("ada");
    await button(/^Add Ada/).click();
    await find.fill("bob");
    await button(/^Add Bob/).click();
    equal(await dialog().getByRole("combobox", { name: /^Role of Ada/ }).inputValue(), "admin", "the role of who came first");
    equal(await dialog().getByRole("combobox", { name: /^Role of Bob/ }).inputValue(), "prompt", "the role of who came second");
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "people"));
    await button("Next").click();
  });

  await suite.check("it is switched on, and a test message arrives", async () => {
    await button("Connect").click();
    await dialog().getByText("Parley is connected.").waitFor();
    await button("Send test message").click();
    const link = await dialog().getByRole("link", { name: "Open in Mattermost" }).getAttribute("href");
    const posts = await chat.posts("general");
    truth(posts.some((post) => link.endsWith(post.id)), "the link leads to the post");
    await button("Done").click();
    await dialog().getByText("Connected", { exact: true }).waitFor();
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "overview"));
    await page.keyboard.press("Escape");
  });

  await suite.check("a stranger gets one refusal, and begins nothing", async () => {
    await chat.call("join", { as: chat.people.eve.id ?? chat.people.eve.ID, channel: chat.channels.general });
    const post = await chat.post("eve", "general", "say what it holds");
    await chat.said(post.id, "");
    truth(!model.heard("what it holds"), "the model heard it");
  });

  await suite.check("a colleague's post begins a session, which stands in the page with who wrote it", async () => {
    thread = (await chat.post("bob", "general", "say what it holds")).id;
    const row = list().getByRole("button", { name: /what it holds/ }).first();
    await row.waitFor();
    await list().getByRole("img", { name: /^Started in Mattermost/ }).first().waitFor();
    await row.click();
    await log().getByText("Bob Kahn in Mattermost", { exact: true }).waitFor();
    await log().getByText("It holds 42 files:").waitFor();
    await chat.said(thread, answerOfAll);
    await page.screenshot(shot(sandbox, "session"));
  });

  await suite.check("a permission is allowed in the thread, and the page says by whom", async () => {
    await chat.reply("bob", thread, "make the first file");
    await question().getByText("touch first.txt").first().waitFor();
    const asked = await chat.said(thread, "```bash\ntouch first.txt\n```");
    await chat.react("ada", asked.id, "+1");
    await page.getByRole("status").getByText("@ada in Mattermost answered: allowed.").waitFor();
    await log().getByText("The first file is there.").waitFor();
    truth(existsSync(join(sandbox.work, "first.txt")), "it did not run");
    await log().getByTitle("Answered by @ada in Mattermost").waitFor();
    await page.screenshot(shot(sandbox, "answered"));
    await until("the thread to say who decided", async () => /\*\*Allowed\*\* by Ada Lovelace/.test((await chat.call("get", { post: asked.id })).message));
  });

  await suite.check("one that is allowed in the page is shown in the thread", async () => {
    await chat.reply("bob", thread, "make the second file");
    await question().getByRole("button", { name: /^Allow Ctrl/ }).click();
    await log().getByText("The second file is there.").waitFor();
    await chat.said(thread, "The second file is there.");
    const asked = (await chat.thread(thread)).findLast((post) => post.message.includes("```bash\ntouch second.txt\n```"));
    await until("the post to say that it was allowed here", async () => /\*\*Allowed\*\* over the gateway/.test((await chat.call("get", { post: asked.id })).message));
  });

  await suite.check("a session of the page is shown in a thread, and a reply from there is in the page", async () => {
    await page.keyboard.press("Alt+n");
    await log().getByText("What should we work on?").waitFor();
    await box().fill("hello from the desk");
    await page.keyboard.press("Enter");
    await log().getByText("Good morning, desk.").waitFor();
    await page.getByRole("banner").or(page.locator('[data-component="session-header"]')).getByRole("button", { name: "Mirror to Mattermost…" }).click();
    const ask = page.getByRole("dialog", { name: "Mirror to Mattermost" });
    await ask.getByLabel("Channel").selectOption({ index: 1 });
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "mirror"));
    await ask.getByRole("button", { name: "Mirror" }).click();
    await page.getByRole("button", { name: /^Mirrored to .* in Mattermost$/ }).waitFor();
    const begun = await chat.saidIn("general", "hello from the desk");
    await chat.reply("ada", begun.root_id || begun.id, "hello from the thread");
    await log().getByText("Ada Lovelace in Mattermost", { exact: true }).waitFor();
    await log().getByText("Good morning, thread.").waitFor();
    await chat.said(begun.root_id || begun.id, "Good morning, thread.");
    await page.screenshot(shot(sandbox, "mirrored"));
  });

  await suite.check("what was answered is the same on both sides", async () => {
    await list().getByRole("button", { name: /what it holds/ }).first().click();
    await log().getByText("The second file is there.").waitFor();
    const here = (await answers().allInnerTexts()).map(plain).filter(Boolean);
    equal(here.length, 3, "answers in the page");
    const posts = async () => (await chat.thread(thread)).filter((post) => post.user_id === chat.botId).map((post) => plain(post.message)).join("\n");
    for (const answer of here) await until(`the thread to have "${answer}"`, async () => (await posts()).includes(answer));
  });

  await suite.check("a question and a plan are answered in the thread by reaction, and continue in the page", async () => {
    await chat.reply("ada", thread, "ask me for a colour");
    const asked = await chat.said(thread, "Which colour?");
    await question().getByText("Which colour?").waitFor();
    await chat.react("ada", asked.id, "two");
    await log().getByText("So it is blue.").waitFor();
    await chat.said(thread, "So it is blue.");
    await chat.reply("ada", thread, "!mode plan");
    await page.getByRole("button", { name: /^Permission mode.*Plan|^Plan/ }).first().waitFor();
    await chat.reply("ada", thread, "plan the work");
    const plan = await chat.said(thread, "Measure first");
    await page.getByRole("heading", { name: "Measure first" }).first().waitFor();
    await chat.react("ada", plan.id, "+1");
    await log().getByText("The plan stands.").waitFor();
    await chat.said(thread, "The plan stands.");
  });

  await suite.check("a turn is interrupted in the thread, and a picture from there is in the page", async () => {
    await chat.reply("ada", thread, "wait for me");
    await log().getByText("Now I wait.").waitFor();
    await chat.said(thread, "Now I wait.");
    await chat.reply("ada", thread, "!escape");
    await log().getByText("@ada in Mattermost stopped this turn.").last().waitFor();
    await chat.said(thread, "Interrupted");
    const data = (await page.screenshot({ clip: { x: 0, y: 0, width: 40, height: 40 } })).toString("base64");
    const file = await chat.call("upload", { as: chat.people.ada.id ?? chat.people.ada.ID, channel: chat.channels.general, name: "corner.png", data });
    await chat.call("reply", { as: chat.people.ada.id ?? chat.people.ada.ID, post: thread, text: "what is in the picture", files: [file.id] });
    await log().getByText("I see a picture.").waitFor();
    await log().locator('[data-role="user"]', { hasText: "what is in the picture" }).locator("img").waitFor();
    await chat.said(thread, "I see a picture.");
  });

  await suite.check("an answer of 60,000 characters is whole on both sides", async () => {
    await chat.reply("ada", thread, "tell me everything");
    await log().getByText(lines.at(-1)).waitFor();
    await chat.said(thread, lines.at(-1));
    const found = (words) => words.match(/Line \d{4} of an answer that is far too long for one post\./g) ?? [];
    const posts = (await chat.thread(thread)).filter((post) => post.user_id === chat.botId).map((post) => post.message);
    truth(posts.every((post) => [...post].length <= 16_383), "a post is too long");
    const there = found(posts.join("\n"));
    equal([there.length, new Set(there).size, there.join() === lines.join()], [lines.length, lines.length, true], "lines in the thread, different ones, in order");
    // Distant content is not rendered yet: scroll up, then down again.
    const read = new Set();
    let by = -0.7;
    await until("all lines in the page", async () => {
      const inView = found(await log().innerText());
      for (const line of inView) read.add(line);
      if (inView.includes(lines[0])) by = 0.7;
      else if (inView.includes(lines.at(-1))) by = -0.7;
      await log().evaluate((view, share) => (view.scrollTop += share * view.clientHeight), by);
      return read.size === lines.length || null;
    }, { every: 20 });
    await page.screenshot(shot(sandbox, "long"));
  });

  await suite.check("the list of threads leads to both", async () => {
    await page.keyboard.press("Alt+t");
    await dialog().getByRole("tab", { name: "Threads" }).click();
    await until("both threads", async () => (await dialog().getByRole("list", { name: "Threads with a session" }).getByRole("listitem").count()) === 2);
    await page.screenshot(shot(sandbox, "threads"));
    await dialog().getByRole("button", { name: /^Pause / }).first().click();
    await dialog().getByText("· paused", { exact: false }).waitFor();
    await page.keyboard.press("Escape");
  });

  await suite.check("nothing went wrong in the page, and Parley ends", async () => {
    equal(problems, [], "what the page complained about");
    equal((await server.running.stop()).code, 0, "how it ended");
  });
} finally {
  await sandbox.close();
  await model.close?.();
}
suite.end();

/** Text without Markdown markers and with single spaces. */
function plain(words) {
  return words.replaceAll(/[*`]|^\s*[-•]\s+/gm, "").replaceAll(/\s+/g, " ").trim();
}
