// Rooms in Chromium, with a headless Parley and the real CLI: a user creates a room, a session joins with its tool,
// both send messages, and the user pins, exports, mutes and removes.

import { readFileSync } from "node:fs";
import { violations } from "./kit/axe.mjs";
import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const use = (name, input) => [tool(`mcp__parley__${name}`, input)];
const hostile = "Hello **person**! <img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script> \u202etxet\u202c";
const model = await startModel({
  slowly: [[{ type: "hold" }, ...use("say", { channel: "lobby", text: "At last." })], [text("I said it.")]],
  "come to the lobby": [use("join", { channel: "Lobby", nickname: "bea" }), [text("I am in.")]],
  "how are you": [use("say", { channel: "lobby", text: hostile }), [text("I said hello.")]],
  "say it to all": [use("say", { channel: "lobby", text: "@all it is done" }), [text("I said it to all.")]],
});

const sandbox = new Sandbox("rooms");
let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const rooms = () => place(page, "Rooms");
const log = () => rooms().getByRole("log", { name: "Messages in #Lobby" });
const box = () => rooms().getByRole("textbox", { name: "Message to #Lobby" });
const chat = () => page.getByRole("log", { name: "Conversation" });
const prompt = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const message = (words) => log().getByRole("listitem").filter({ hasText: words }).first();
const receipts = (words) => message(words).getByRole("button", { name: /Show details/ });
const button = (name) => rooms().getByRole("button", { name });
const member = (nick) => rooms().getByRole("complementary", { name: "Members" }).getByRole("button", { name: new RegExp(`^${nick}`) });
const open = () => page.keyboard.press("Alt+c");
const saved = async (name) => {
  const [download] = await Promise.all([page.waitForEvent("download"), button(name).click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
};

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("button", { name: "Open project" }).click();
  await prompt().waitFor();

  await suite.check("a user makes a room, which says what rooms are for", async () => {
    await page.getByRole("navigation", { name: "Sessions" }).getByRole("button", { name: "Rooms", exact: true }).click();
    await rooms().getByText("Let sessions talk to each other").waitFor();
    await rooms().getByLabel("Name").fill("#Lobby");
    await page.keyboard.press("Enter");
    await rooms().getByRole("heading", { name: "#Lobby" }).waitFor();
    await rooms().getByText("No messages yet.").waitFor();
    await page.keyboard.press("Escape");
    await rooms().waitFor({ state: "detached" });
  });

  await suite.check("a session joins it with its tool, when the user allows that", async () => {
    await prompt().fill("come to the lobby");
    await page.keyboard.press("Enter");
    const question = page.getByRole("region", { name: "Question" }).and(page.locator('[data-phase="ready"]'));
    await question.getByRole("heading", { name: /Join the room #Lobby/i }).waitFor();
    await question.getByRole("button", { name: /^Allow Ctrl/ }).click();
    await chat().getByText("I am in.").waitFor();
    await open();
    await member("bea").getByText("idle").waitFor();
  });

  await suite.check("what the user says wakes it; its answer comes live, and the receipt is complete", async () => {
    await box().fill("@b");
    await rooms().getByRole("option", { name: /^@bea/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("how are you?");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("And what is new?");
    await page.keyboard.press("Enter");
    await message("Hello person!").waitFor();
    equal(await box().inputValue(), "", "the box");
    await until("the receipt", async () => (await receipts("how are you?").innerText()) === "Answered");
    await receipts("how are you?").click();
    await message("how are you?").getByRole("list", { name: "Receipts by member" }).getByText("bea").waitFor();
    truth(model.heard("And what is new?"), "the model got the second line");
    truth(await page.evaluate(() => (CSS.highlights.get("parley-room-mention")?.size ?? 0) > 0), "the mention is marked");
    await page.screenshot(shot(sandbox, "talk"));
  });

  await suite.check("markup in what a session says is drawn by the one way that makes it harmless", async () => {
    const said = message("Hello person!");
    equal(await said.locator("strong", { hasText: "person" }).count(), 1, "what is bold");
    equal(await said.locator("img, script, [onerror]").count(), 0, "what could run");
    truth((await said.innerText()).includes("⟨U+202E⟩"), "what turns the text is shown");
    truth(!(await page.title()).includes("taken"), "nothing of it ran");
    equal(await violations(page), [], "what axe finds");
  });

  await suite.check("a thread is answered beside the room", async () => {
    await message("Hello person!").hover();
    await message("Hello person!").getByRole("button", { name: "Reply to bea" }).click();
    const thread = rooms().getByRole("complementary", { name: "Thread" });
    await thread.getByRole("textbox").fill("Good to hear.");
    await page.keyboard.press("Enter");
    await thread.getByRole("log").getByText("Good to hear.").waitFor();
    await message("Good to hear.").getByText("In reply to bea").waitFor();
    await page.screenshot(shot(sandbox, "thread"));
    await page.keyboard.press("Escape");
  });

  await suite.check("who reads what was said earlier stays there, and is told of what is below", async () => {
    const long = Array.from({ length: 25 }, (_, i) => `line ${i}`).join("\n");
    for (const words of [long, long, "@bea slowly"]) {
      await box().fill(words);
      await page.keyboard.press("Enter");
      await until("it to be sent", async () => (await box().inputValue()) === "");
    }
    await message("slowly").waitFor();
    const places = () => log().evaluate((el) => [el.scrollTop, el.scrollHeight - el.clientHeight - el.scrollTop]);
    await until("it to follow what comes", async () => (await places())[1] <= 1);
    await log().evaluate((el) => (el.scrollTop = 300));
    await button("Jump to latest").waitFor();
    await until("the model to be asked", () => model.heard("slowly"));
    model.release();
    await button("1 new message below").waitFor();
    equal((await places())[0], 300, "where it is");
    await button("1 new message below").click();
    await message("At last.").waitFor();
    await until("it to be at the end", async () => (await places())[1] <= 1);
  });

  await suite.check("what is shown to all while nobody looks is new in the sidebar and under a line", async () => {
    await page.keyboard.press("Alt+w");
    await rooms().waitFor({ state: "detached" });
    await prompt().fill("say it to all");
    await page.keyboard.press("Enter");
    await chat().getByText("I said it to all.").waitFor();
    await page.getByRole("button", { name: "Rooms 1 for you" }).click();
    await message("it is done").waitFor();
    await log().getByText("New", { exact: true }).waitFor();
    await until("it to be seen", async () => (await page.getByRole("button", { name: "#Lobby", exact: true }).count()) === 1);
  });

  await suite.check("the room is pinned and its rules are changed", async () => {
    if ((await rooms().getByRole("complementary", { name: "Members" }).count()) === 0) await button(/^Members/).click();
    await button(/^Pin\./).click();
    await button(/^Pinned:/).waitFor();
    await button("Rules, export, and deletion").click();
    await rooms().getByRole("radio", { name: /^Never/ }).check();
    await rooms().getByLabel("Messages in a row").fill("7");
    await button("Save rules").click();
    await rooms().getByText("Rules saved.").last().waitFor();
  });

  await suite.check("all that was said is exported, as Markdown and as JSON", async () => {
    const markdown = await saved("Export as Markdown");
    truth(/^Lobby-.*\.md$/.test(markdown.name), `the name is ${markdown.name}`);
    truth(markdown.text.includes("how are you?") && markdown.text.includes("it is done"), "what was said is in it");
    truth(!markdown.text.includes("\u202e"), "nothing in it turns the text");
    const json = await saved("Export as JSON");
    const lines = json.text.trim().split("\n").map((line) => JSON.parse(line));
    equal(lines.map((line) => line.from.kind).join(" "), "person session person person person person session session", "who said it");
    equal(lines[0].receipts[0].state, "answered", "the receipt");
  });

  await suite.check("a page that comes anew has all of it, in little room, too", async () => {
    await page.goto("about:blank");
    await page.setViewportSize({ width: 720, height: 480 });
    await page.goto(server.link);
    await page.locator('[data-component="shell"]').waitFor();
    await open();
    await message("it is done").waitFor();
    equal(await log().locator("[data-seq]").count(), 8, "the messages");
    await page.screenshot(shot(sandbox, "small"));
    await page.setViewportSize({ width: 1180, height: 800 });
  });

  await suite.check("a member is muted, and sent away after a question", async () => {
    if ((await rooms().getByRole("complementary", { name: "Members" }).count()) === 0) await button(/^Members/).click();
    await member("bea").click();
    await button("Mute").click();
    await member("bea").getByText(/muted/).waitFor();
    await button("Remove…").click();
    await page.getByRole("dialog", { name: "Remove bea from the room?" }).getByRole("button", { name: "Remove" }).click();
    await rooms().getByText("Removed", { exact: true }).waitFor();
    await member("bea").waitFor({ state: "detached" });
    await page.screenshot(shot(sandbox, "away"));
    await button("Let rejoin: bea").click();
    await rooms().getByText("Removed", { exact: true }).waitFor({ state: "detached" });
  });

  await suite.check("the room is deleted after a question", async () => {
    await button("Rules, export, and deletion").click();
    await button("Delete room…").click();
    await page.getByRole("dialog", { name: "Delete #Lobby?" }).getByRole("button", { name: "Delete" }).click();
    await rooms().getByText("Let sessions talk to each other").waitFor();
  });

  await suite.check("nothing failed in the page, and it asked nobody else", async () => equal(problems, [], "problems"));
  await browser.close();
} finally {
  await sandbox.close();
  await model.close();
}
await suite.check("nothing is left running", () => sandbox.leavesNothing());
process.exit(suite.end());
