// Attachments and other prompt input in Chromium, with a headless Parley and the real CLI: mentioned, dropped and
// pasted files, shell commands, input methods, and recovery when the API rejects an attachment.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const poison = "POISONOUS";
const model = await startModel(
  {
    seen: [[text("I have seen it.")]],
    picture: [[text("A picture.")]],
    begin: [[text("We begin.")]],
    healthy: [[text("All is well.")]],
    にほん: [[text("はい。")]],
  },
  {
    refuse: (body) =>
      body.includes(poison) && body.includes('"stream":true')
        ? "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"
        : "",
  },
);

const many = 50_000;
const sandbox = new Sandbox("attach");
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const button = (name) => page.getByRole("button", { name });
const option = (name) => page.getByRole("option", { name });
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const value = async (want) =>
  await until(`the box to hold ${JSON.stringify(want)}`, async () => (await box().inputValue()) === want).catch(async (error) => {
    throw new Error(`${error.message}; it holds ${JSON.stringify((await box().inputValue()).slice(0, 200))}`);
  });
const say = async (words) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
  await value("");
};

writeFiles();
let problems = [];
try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await button("Choose a folder…").click();
  await page.getByRole("combobox").fill(sandbox.work);
  await button("Open project").click();
  await box().waitFor();

  await suite.check("commands, skills and agents are told apart", async () => {
    await box().pressSequentially("/");
    await option(/^\/compact /).waitFor();
    await page.screenshot(shot(sandbox, "slash"));
    await box().fill("");
  });

  await suite.check(`one of ${many.toLocaleString("en")} files is found while its name is typed`, async () => {
    await box().pressSequentially("see @");
    await page.getByRole("listbox", { name: "Files and agents" }).waitFor();
    const began = Date.now();
    await box().pressSequentially("part4242");
    await option(/^part4242\.ts/).waitFor();
    console.log(`    found ${Date.now() - began} ms after the first letter`);
    await page.screenshot(shot(sandbox, "mention"));
    await page.keyboard.press("Enter");
    await value("see @src/m42/part4242.ts ");
    truth(!(await page.getByRole("listbox").isVisible()), "the list stays");
  });

  await suite.check("folders lead deeper, and odd names are shown and written so that the CLI takes them", async () => {
    await box().fill("");
    await box().pressSequentially("@odd");
    await option(/^odd\//).waitFor();
    await page.keyboard.press("Tab");
    await value("@odd/");
    await option(/U\+202E/).waitFor();
    truth(!(await option(/ignored/).isVisible()), "an ignored file is offered");
    await page.screenshot(shot(sandbox, "mention-odd"));
    await box().pressSequentially("with");
    await option(/^with space/).waitFor();
    await page.keyboard.press("Enter");
    await value('@"odd/with space.txt" ');
    await box().pressSequentially("have you seen it?");
    await page.keyboard.press("Enter");
    await log().getByText("I have seen it.").waitFor();
    await idle();
    truth(model.heard("the spaced words"), "the CLI did not read the file");
  });

  await suite.check("a skill of the folder is offered, and what may follow it", async () => {
    await box().pressSequentially("/");
    await option(/^\/compact /).waitFor();
    await box().pressSequentially("tidy");
    await option(/^\/tidy-up/).waitFor();
    await page.keyboard.press("Tab");
    await value("/tidy-up ");
    await page.getByText("<folder>").waitFor();
    await box().pressSequentially("src");
    await page.getByText("<folder>").waitFor();
    await page.screenshot(shot(sandbox, "slash-hint"));
    await box().fill("");
  });

  await suite.check("what a choice wrote can be undone", async () => {
    await box().pressSequentially("@readme");
    await option(/^README\.md/i).waitFor();
    await page.keyboard.press("Enter");
    await value("@README.md ");
    await page.keyboard.press("Control+z");
    await until("the undo", async () => (await box().inputValue()) !== "@README.md ");
    await box().fill("");
  });

  await suite.check("a command runs in the folder, streams, and is known to the model", async () => {
    await box().fill("!echo first; printf '\\033[32mgreen\\033[0m\\n'; sleep 0.3; echo last; exit 3");
    await page.getByText("Shell: runs in this folder").first().waitFor();
    await page.screenshot(shot(sandbox, "shell-mode"));
    await page.keyboard.press("Enter");
    await value("");
    const block = log().getByRole("article").filter({ hasText: "echo first" });
    await block.getByText("Exit code 3").waitFor();
    truth((await block.innerText()).includes("green"), "what it printed is missing");
    equal(await block.locator('[data-color]').first().innerText(), "green", "the coloured text");
    await say("have you seen it as well?");
    await log().getByText("I have seen it.").nth(1).waitFor();
    await idle();
    truth(model.heard("<bash-input>echo first"), "the model did not hear of it");
    await page.screenshot(shot(sandbox, "shell"));
  });

  await suite.check("Esc stops a command", async () => {
    await say("!echo begun; sleep 1000");
    const block = log().getByRole("article").filter({ hasText: "sleep 1000" });
    await block.getByText("begun").last().waitFor();
    await block.getByText(/^Running/).waitFor();
    await page.screenshot(shot(sandbox, "shell-running"));
    await box().press("Escape");
    await block.getByText(/^Stopped/).waitFor();
  });

  await suite.check("Enter that ends a composition sends nothing", async () => {
    const cdp = await page.context().newCDPSession(page);
    await box().focus();
    await cdp.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    // During a composition, Chromium gives every key the code 229.
    await cdp.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Process", code: "Enter", windowsVirtualKeyCode: 229 });
    await cdp.send("Input.dispatchKeyEvent", { type: "keyUp", key: "Process", code: "Enter", windowsVirtualKeyCode: 229 });
    await value("にほ");
    await cdp.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
    await cdp.send("Input.insertText", { text: "にほん" });
    // WebKit ends the composition first; the key that ended it follows as 229.
    await box().evaluate((element) => {
      element.dispatchEvent(new CompositionEvent("compositionend", { data: "にほん", bubbles: true }));
      element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", keyCode: 229, bubbles: true, cancelable: true }));
    });
    await value("にほん");
    truth(!model.heard("にほん"), "it was sent");
    await page.keyboard.press("Enter");
    await log().getByText("はい。").waitFor();
    await idle();
  });

  await suite.check("images are made smaller, other files kept, and both reach the model", async () => {
    await drop([
      { name: "large.png", type: "image/png", side: [4000, 1000] },
      { name: "notes.csv", type: "text/csv", text: "the kept words" },
    ]);
    await page.getByRole("img", { name: "large.png" }).waitFor();
    await button("Open notes.csv").waitFor();
    await box().fill("what is in the picture?");
    await page.screenshot(shot(sandbox, "attached"));
    await page.keyboard.press("Enter");
    await log().getByText("A picture.").waitFor();
    await idle();
    truth(model.heard("the kept words"), "the CLI did not read the file");
    const data = /"media_type":"image\/png","data":"([A-Za-z0-9+/=]+)"|"data":"([A-Za-z0-9+/=]+)","media_type":"image\/png"/.exec(model.bodies().findLast((b) => b.includes("image/png")) ?? "");
    const png = Buffer.from(data?.[1] ?? data?.[2] ?? "", "base64");
    equal([png.readUInt32BE(16), png.readUInt32BE(20)], [1568, 392], "the size of the image that was sent");
  });

  await suite.check("a long text is put aside, opened, and put back", async () => {
    const long = "a line of it\n".repeat(300);
    await paste(long);
    await button("Open Pasted text, 301 lines").click();
    await page.getByRole("dialog").getByText("a line of it").first().waitFor();
    await page.screenshot(shot(sandbox, "pasted"));
    await button("Insert as text").click();
    await value(long);
    await box().fill("");
  });

  await suite.check("earlier prompts are found by their words", async () => {
    await box().press("Control+r");
    await page.getByRole("combobox", { name: "Search earlier prompts" }).pressSequentially("picture");
    await option(/what is in the picture/).first().waitFor();
    await page.screenshot(shot(sandbox, "history"));
    await page.keyboard.press("Enter");
    await until("the prompt", async () => (await box().inputValue()).startsWith("what is in the picture?"));
    await box().fill("");
  });

  await suite.check("a million characters stay quick", async () => {
    await box().evaluate((element) => {
      element.value = "some words of it ".repeat(60_000);
      element.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const began = Date.now();
    await box().press("End");
    await box().pressSequentially("abcdefghij");
    console.log(`    ${Math.round((Date.now() - began) / 10)} ms a letter`);
    truth((await box().inputValue()).includes("abcdefghij"), "the letters are missing");
    await box().fill("");
  });

  await suite.check("a conversation that the API refuses continues before what it refuses", async () => {
    await say(`look at ${poison}`);
    await page.getByRole("heading", { name: "The API rejects this conversation" }).waitFor();
    await page.screenshot(shot(sandbox, "refused"));
    await idle();
    await button("Repair").click();
    await value(`look at ${poison}`);
    await say("stay healthy");
    await log().getByText("All is well.").waitFor();
    await idle();
    await page.screenshot(shot(sandbox, "repaired"));
  });

  await suite.check("it fits into the smallest window, and in the dark", async () => {
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.setViewportSize({ width: 720, height: 480 });
    await drop([{ name: "small.png", type: "image/png", side: [40, 40] }]);
    await page.getByRole("img", { name: "small.png" }).waitFor();
    await box().pressSequentially("@");
    await page.getByRole("listbox").waitFor();
    await page.screenshot(shot(sandbox, "small-dark"));
    const { top } = await page.getByRole("listbox").evaluate((element) => element.getBoundingClientRect());
    truth(top >= 0, `the list begins at ${top}`);
    await page.keyboard.press("Escape");
    await box().fill("");
  });

  await suite.check("the page made no errors", async () => {
    equal(problems, [], "what went wrong");
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

/** A checkout with many files, some with unusual names. */
function writeFiles() {
  const write = (name, words = "") => {
    const path = join(sandbox.work, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, words);
  };
  write("README.md", "hello");
  write(".gitignore", "*ignored*\n");
  write("odd/with space.txt", "the spaced words");
  write("odd/quo\"te.txt");
  write("odd/bidi\u202etxt.md");
  write("odd/new\nline.md");
  write("odd/-rf.md");
  write("odd/ignored.md");
  write(".claude/skills/tidy-up/SKILL.md", "---\nname: tidy-up\ndescription: Tidies a folder up\nargument-hint: <folder>\n---\nTidy up.\n");
  write(".claude/agents/tester.md", "---\nname: tester\ndescription: Runs tests and says what fails\n---\nTest.\n");
  for (let i = 0; i < many; i++) {
    const dir = join(sandbox.work, "src", `m${i % 100}`);
    if (i < 100) mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `part${i}.ts`), "");
  }
  command("git", ["init", "-q"], { cwd: sandbox.work, env: sandbox.env() });
}

/** Drops files onto the box; an image is made with the given width and height. */
async function drop(files) {
  await box().evaluate(async (element, list) => {
    const data = new DataTransfer();
    for (const { name, type, text: words, side } of list) {
      let content = words;
      if (side) {
        const canvas = new OffscreenCanvas(...side);
        const context = canvas.getContext("2d");
        context.fillStyle = "teal";
        context.fillRect(0, 0, side[0] / 2, side[1]);
        content = await canvas.convertToBlob({ type });
      }
      data.items.add(new File([content], name, { type }));
    }
    element.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);
}

async function paste(words) {
  await box().evaluate((element, pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, words);
}
