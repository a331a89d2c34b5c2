// The real window: the program as shipped, except for the one file that enables WebKit's driver, on a separate screen
// and with the real CLI.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { By, Key } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { button, dock, Window, xdotool } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
const command = "printf 'Parley: %s words\\n' \"$(wc -w < notes.md)\" | tee count.txt";
const keep = "mkdir -p kept && cp notes.md count.txt kept/";
const numbers = "for i in $(seq 1 2000); do echo \"line $i\"; done";

const model = await startModel({
  count: [
    [text("I count the words of `notes.md` and keep the figure in `count.txt`."), tool("Bash", { command, description: "Count words" })],
    [text("The notes have **six words**. The figure is in `count.txt`.\n\nSee [the manual](https://example.com/manual) for more.")],
  ],
  keep: [
    [text("I put a copy of both files into `kept/`."), tool("Bash", { command: keep, description: "Copy both files" })],
    [text("Then there is no copy.")],
  ],
  numbers: [[tool("Bash", { command: numbers, description: "Write many lines" })], [text("These were many lines.")]],
  draw: [[text("```mermaid\nflowchart LR\n  A[Part] --> B[Server]\n```")]],
  forever: [[text("This goes on "), { type: "hold" }]],
});

const sandbox = new Sandbox("window");
writeFileSync(join(sandbox.work, "notes.md"), "one two three four five six\n");
// The fake URL opener.
const opened = sandbox.opener();

let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });
try {
  const display = await startDisplay(sandbox);
  const env = { ...display, ...modelEnv(model), PATH: `${join(sandbox.dir, "bin")}:${process.env.PATH}` };
  const args = ["--data", sandbox.data];
  const { browser, driver } = await openWindow(sandbox, binary, args, env);
  window = new Window(browser, sandbox);
  const xdo = xdotool(sandbox.env(env));

  await suite.check("the window asks for a folder", async () => {
    await window.find(By.xpath('//h1[text()="Where should Claude work?"]'));
    await xdo.window("Parley");
    // The first picture waits for no other file.
    equal(await browser.executeScript('return [document.querySelector("style").id, document.querySelectorAll("script[src]:not([src^=\\"/wails/\\"])").length]'), ["frame-style", 0]);
    await window.screenshot("start");
  });

  await suite.check("the tour plays automatically: three clicks to the first output, none typed", async () => {
    await window.press("Take the tour");
    await window.reads("Welcome to Parley.");
    await window.screenshot("tour-greeting");
    await window.press("Next: run a command");
    await window.find(dock);
    await window.screenshot("tour-command");
    await window.press("Allow", "Question");
    await window.reads("3 + 2 + 4 is not 4");
    await window.find(button("Next: answer a question"));
    await window.press("Skip tour");
    await window.reads("That was the tour.");
    await window.press("Start a session");
    await window.find(By.xpath('//h1[text()="Where should Claude work?"]'));
  });

  await suite.check("a folder is chosen in the system's dialog", async () => {
    await window.press("Choose a folder…");
    await window.press("Browse…");
    const dialog = await xdo.window("Choose a folder to work in");
    // The dialog loses keys while it makes room for the input, and shows that; then it is entered again.
    await until("the dialog to close", () => {
      try {
        xdo.run("windowactivate", "--sync", dialog, "key", "ctrl+l", "key", "ctrl+a");
        xdo.run("type", "--delay", "25", sandbox.work);
        xdo.run("key", "Return", "getwindowname", dialog);
        return false;
      } catch {
        return true; // the window no longer exists
      }
    }, { every: 500 });
    await window.find('textarea[aria-label="Prompt"]');
    equal(await (await window.find('[data-component="session-header"] [data-slot="folder"]')).getAttribute("title"), sandbox.work, "the session's folder");
  });

  await suite.check("a prompt brings up the whole command, and the buttons", async () => {
    await window.say("Please count the words in notes.md");
    await window.find(dock);
    equal(await (await window.find(`${dock} [aria-label="Command"]`)).getText(), command, "the command");
    await window.find(button("Allow", "Question"));
    await window.find(button("Deny", "Question"));
    await window.screenshot("permission");
  });

  await suite.check("a reload does not lose the question", async () => {
    await browser.navigate().refresh();
    await window.press("Please count", "Sessions").catch(() => {});
    await window.find(dock);
    equal(await (await window.find(`${dock} [aria-label="Command"]`)).getText(), command, "the command");
  });

  await suite.check("allowed, the command runs and its output is shown", async () => {
    await window.press("Allow", "Question");
    await window.reads("The notes have six words.");
    await window.idle();
    equal(readFileSync(join(sandbox.work, "count.txt"), "utf8"), "Parley: 6 words\n", "the file");
    await (await window.find('[data-component="tool-card"] button')).click();
    await window.reads("Parley: 6 words");
  });

  await suite.check("the next command is denied from the keyboard", async () => {
    await window.say("Now keep a copy of both");
    await window.find(`${dock}[data-phase="ready"]`);
    await window.screenshot("question");
    await browser.actions().keyDown(Key.CONTROL).sendKeys(Key.BACK_SPACE).keyUp(Key.CONTROL).perform();
    await window.reads("Then there is no copy.");
    await window.idle();
  });

  await suite.check("the meter is right", async () => {
    const label = await (await window.find('[data-component="meter"]')).getAttribute("aria-label");
    truth(label.includes("130k / 1M") && label.includes("13%"), label);
    await window.screenshot("answer");
  });

  await suite.check("a result too large for an event arrives whole", async () => {
    await window.say("now many numbers");
    await window.find(dock);
    await window.press("Allow", "Question");
    await window.reads("These were many lines.");
    await window.idle();
    await until("the card to open", async () => {
      const card = (await browser.findElements(By.css('[data-component="tool-card"] > button'))).at(-1);
      // Rows come and go until the list has settled.
      await browser.executeScript("arguments[0].scrollIntoView({ block: 'center' }); arguments[0].click()", card).catch(() => {});
      return (await card.getAttribute("aria-expanded").catch(() => "")) === "true";
    }, { every: 300 });
    await window.press("Show all");
    await window.reads("line 2000");
  });

  await suite.check("Esc interrupts", async () => {
    await window.say("go on forever");
    await window.reads("This goes on");
    await browser.actions().sendKeys(Key.ESCAPE).perform();
    await window.idle();
  });

  await suite.check("a diagram is drawn in its frame", async () => {
    await window.idle();
    await window.say("Please draw it");
    const image = await window.find('[data-component="diagram"] img');
    await until("the image", async () => (await browser.executeScript("return arguments[0].naturalWidth", image)) > 100);
    await window.idle();
  });

  await suite.check("a link opens outside, and the page cannot be led away", async () => {
    // It is at the beginning, which is out of view by now.
    await browser.executeScript("document.querySelector('[role=\"log\"]').scrollTop = 0");
    const link = await window.find(By.linkText("the manual"));
    await browser.executeScript("arguments[0].scrollIntoView({ block: 'center' }); arguments[0].click()", link);
    await until("the link to be opened", () => existsSync(opened));
    equal(readFileSync(opened, "utf8"), "https://example.com/manual\n", "what was opened");
    await browser.executeScript("location.href = 'https://example.com/away'");
    await window.reads("The notes have six words.");
    truth((await browser.getCurrentUrl()).startsWith("wails://wails/"), "the page went away");
  });

  await suite.check("a second start shows the window that is there", async () => {
    const second = sandbox.start("second", binary, args, { env: sandbox.env(env) });
    equal((await second.exited).code, 0, "its exit code");
    await xdo.window("Parley");
  });

  await suite.check("closed by its button, it ends and leaves nothing", async () => {
    await xdo.close("Parley");
    await until("the program to end", () => running().length === 0);
    truth(JSON.parse(readFileSync(join(sandbox.data, "window.json"), "utf8")).positioned, "its place was not saved");
    await driver.stop();
  });
  window = undefined;

  const plain = sandbox.start("plain", binary, args, { env: sandbox.env({ ...env, GTK_THEME: "Adwaita:dark" }) });

  await suite.check("when the page's process dies, the page comes back", async () => {
    await plain.says("first=true");
    const [page] = sandbox.leftovers().filter((line) => line.includes("WebKitWebProcess"));
    process.kill(Number(page.split(" ")[0]), "SIGKILL");
    await plain.says("first=false");
  });

  await suite.check("on SIGHUP it continues as the program on the disk, with its window", async () => {
    const before = running().length;
    const shown = () => plain.said.split("first=true").length;
    const once = shown();
    process.kill(plain.pid, "SIGHUP");
    await plain.says("Took over");
    await until("the page", () => shown() > once);
    await xdo.window("Parley");
    await until("what it is made of to be there again", () => running().length === before);
    truth(readFileSync(`/proc/${plain.pid}/cmdline`, "utf8").includes("parley-e2e"), "it is another process");
  });

  await suite.check("on SIGTERM it ends, with its state saved", async () => {
    equal(await plain.stop(), { code: 0, signal: null }, "the end");
    await until("its processes to be gone", () => running().length === 0);
  });

  await suite.check("without a display it says so", async () => {
    const { DISPLAY: _, ...blind } = env;
    const started = sandbox.start("blind", binary, args, { env: sandbox.env(blind) });
    equal((await started.exited).code, 1, "the exit code");
    truth(started.said.includes("parley serve"), started.said);
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();

/** Parley's running processes: itself, its web processes, the CLI. */
function running() {
  return sandbox.leftovers().filter((line) => /parley-e2e|WebKit(Web|Network)Process|claude/.test(line));
}
