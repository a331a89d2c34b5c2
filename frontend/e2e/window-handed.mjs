// Exchanging content between the window and other programs: pasted pictures and files, dropped files, and drags out of
// it, with a real clipboard and real drags.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import { By } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, pass, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { dock, Window, xdotool } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
const plain = join(root, "build/bin/parley");
const dragtest = process.env.PARLEY_E2E_DRAGTEST ?? join(root, "build/bin/dragtest");

const edited = () => join(sandbox.work, "edited.txt");
const model = await startModel({
  begin: [[text("We begin.")]],
  "pasted picture": [[text("I see the picture.")]],
  "pasted files": [[text("I read the files.")]],
  "dropped files": [[text("They were dropped.")]],
  "change it": (results) =>
    [
      [tool("Read", { file_path: edited() })],
      [tool("Edit", { file_path: edited(), old_string: "two", new_string: "zwei" })],
      [text("It is changed.")],
    ][results] ?? [text("No more.")],
  "plain window": [[text("The plain window works.")]],
});

const sandbox = new Sandbox("window-handed");
const given = sandbox.folder("given");
const file = (name, content) => {
  writeFileSync(join(given, name), content);
  return join(given, name);
};
const picture = file("source.png", png(64, 48, [200, 60, 90]));
const notes = file("notes é 100%.txt", "the words of the first file\n");
const table = file("table#1.csv", "the words of the second file\n");
const photo = file("photo.png", png(300, 200, [40, 120, 160]));
mkdirSync(join(given, "a folder"));

let window;
let driver;
let xdo;
let env = {};
const holders = [];
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });

const browser = () => window.browser;
const box = 'textarea[aria-label="Prompt"]';
const thumbnails = async () => await browser().executeScript(`return [...document.querySelectorAll('[data-slot="attachment"]')].map((e) => e.dataset.kind + " " + (e.querySelector("img")?.alt ?? e.querySelector('[data-slot="name"]').textContent))`);
const note = async () => await (await window.find('[data-component="composer"] [data-slot="note"]')).getText();
const value = async () => await browser().executeScript("return document.querySelector(arguments[0]).value", box);
const have = (want) =>
  until(`the thumbnails ${JSON.stringify(want)}`, async () => JSON.stringify(await thumbnails()) === JSON.stringify(want)).catch(async (error) => {
    throw new Error(`${error.message}; there are ${JSON.stringify(await thumbnails())}, and the note says ${JSON.stringify(await note())}`);
  });
const says = (words) => until(`the note "${words}"`, async () => (await note()).includes(words)).catch(async (error) => {
  throw new Error(`${error.message}; it says ${JSON.stringify(await note())}`);
});
/** The window itself: a tooltip has the same name, and no frame. */
const mainWindow = () =>
  until("the window", () => {
    const line = command("wmctrl", ["-l"], { env: sandbox.env(env) }).split("\n").find((l) => l.endsWith(" Parley"));
    return line && String(Number.parseInt(line, 16));
  });
const activate = async () => xdo.run("windowactivate", "--sync", await mainWindow());
const keys = async (...all) => {
  await activate();
  xdo.run("key", "--delay", "20", ...all);
};
const type = async (words) => {
  await activate();
  xdo.run("type", "--delay", "10", words);
};
/** Puts something on the clipboard, like another program. */
const copy = async (target, content) => {
  const holder = spawn("xclip", ["-selection", "clipboard", "-t", target, "-i", "-quiet", "-loops", "0"], { env: sandbox.env(env), stdio: ["pipe", "ignore", "ignore"] });
  holder.stdin.end(content);
  holders.push(holder);
  await until("the clipboard to hold it", () => {
    try {
      return command("xclip", ["-selection", "clipboard", "-t", target, "-o"], { env: sandbox.env(env), encoding: "buffer" }).equals(Buffer.from(content));
    } catch {
      return false;
    }
  });
};
const uriOf = (path) => `file://${path.split("/").map(encodeURIComponent).join("/")}`;
const clear = async () => {
  for (;;) {
    const [first] = await browser().findElements(By.css('[data-slot="attachment"] > [data-slot="remove"]'));
    if (!first) return;
    await first.click();
  }
};
const send = async (words, answer) => {
  await type(words);
  await keys("Return");
  await window.reads(answer);
  await window.idle();
  await have([]);
};
/** The center of an element on the page, in screen pixels. */
const middle = async (css) => {
  const { x, y, width, height } = await (await window.find(css)).getRect();
  const [left, top] = place(await mainWindow());
  return { x: Math.round(left + x + width / 2), y: Math.round(top + y + height / 2) };
};
/** The offset of a window's content from its frame, which is misreported for it. */
const frame = [0, 0];
const place = (id) => {
  const [, x, y] = /Position: (\d+),(\d+)/.exec(xdo.run("getwindowgeometry", id));
  return [Number(x) + frame[0], Number(y) + frame[1]];
};
const measureFrame = (id) => {
  const [, x, y] = /x:(\d+) y:(\d+)/.exec(xdo.run("mousemove", "--sync", "--window", id, "5", "5", "getmouselocation"));
  const [left, top] = place(id);
  frame[0] += Number(x) - 5 - left;
  frame[1] += Number(y) - 5 - top;
};
/** Another program as a drag source. */
const source = async (...args) => {
  const running = sandbox.start("dragtest", dragtest, args, { env: sandbox.env(env) });
  await running.says("ready");
  const id = await xdo.window("^dragtest$");
  xdo.run("windowmove", "--sync", id, "1140", "20");
  const [x, y] = place(id);
  return { running, at: { x: x + 60, y: y + 60 } };
};
const pointer = ({ x, y }) => xdo.run("mousemove", String(Math.round(x)), String(Math.round(y)));
/** Carries a drag to a place; over is awaited there before the drop. */
const carryOn = async (from, to, over) => {
  for (let step = 1; step <= 10; step++) pointer({ x: from.x + ((to.x - from.x) * step) / 10, y: from.y + ((to.y - from.y) * step) / 10 });
  pointer({ x: to.x + 2, y: to.y + 1 });
  try {
    await over();
  } finally {
    xdo.run("mouseup", "1");
  }
};
const hold = (from) => {
  pointer(from);
  xdo.run("mousedown", "1");
  for (let step = 1; step <= 6; step++) pointer({ x: from.x + step * 5, y: from.y });
};
/** Drags out of the other program, whose window may have appeared too late for the button. */
const bring = async ({ running: source, at }, to, over = async () => {}) => {
  const before = source.lines.length;
  await until("the drag to begin", async () => {
    xdo.run("mouseup", "1");
    hold(at);
    return await until("it", () => source.lines.slice(before).includes("begun"), { timeout: 1_000 }).catch(() => false);
  });
  await carryOn(at, to, over);
  return await until("the end of the drag", () => source.lines.slice(before).find((line) => line === "taken" || line === "refused"));
};
const highlight = '[data-component="composer"] [data-slot="drop-here"]';

try {
  const display = await startDisplay(sandbox, { size: "1920x1080" });
  env = { ...display, ...modelEnv(model) };
  xdo = xdotool(sandbox.env(env));
  const opened = await openWindow(sandbox, binary, ["--data", sandbox.data], env);
  driver = opened.driver;
  window = new Window(opened.browser, sandbox);

  await suite.check("a session is there", async () => {
    await window.press("Choose a folder…");
    await (await window.find('[role="combobox"]')).sendKeys(`${sandbox.work}/`);
    await window.press("Open ");
    measureFrame(await mainWindow());
    await (await window.find(box)).click();
    await send("begin", "We begin.");
  });

  await suite.check("the page cannot read the clipboard automatically", async () => {
    await copy("image/png", png(8, 8, [1, 2, 3]));
    const answer = await browser().executeAsyncScript("const [pass, done] = arguments; window.go.desktop.Host.Paste(pass).then((ok) => done(ok), (error) => done(String(error.message ?? error)))", pass);
    truth(answer.includes("forbidden"), answer);
    await browser().executeScript("const b = document.createElement('button'); b.id = 'asks'; b.style.cssText = 'position:fixed;left:0;top:0;z-index:9;width:40px;height:40px'; b.onclick = () => navigator.clipboard.read().then(() => (b.title = 'read'), () => (b.title = 'refused')); document.body.append(b)");
    await (await window.find("#asks")).click();
    await until("an answer", async () => (await (await window.find("#asks")).getAttribute("title")) === "refused");
    await browser().executeScript("document.querySelector('#asks').remove()");
    await (await window.find(box)).click();
  });

  await suite.check("nor what else Wails offers to every script: no text of it, no title, no links", async () => {
    await copy("UTF8_STRING", "nobody's business");
    const answers = await browser().executeAsyncScript(`
      const [pass, done] = arguments;
      const answers = [];
      const { runtime, go } = window;
      const asks = [() => runtime.ClipboardGetText(), () => runtime.ClipboardSetText("owned"), () => runtime.Environment(), () => runtime.WindowGetSize(), () => runtime.SendNotification?.({ id: "1", title: "owned" })];
      for (const ask of asks) Promise.resolve(ask() ?? new Promise(() => {})).then((value) => answers.push(value), (error) => answers.push(String(error)));
      for (const say of ["WTowned", "Ws:200:200", "WH", "H", "BO:https://example.com/", 'C{"name":"desktop.Host.Shown","NAME":":wails:ClipboardSetText","args":["owned"],"callbackID":"x"}']) window.WailsInvoke(say);
      runtime.EventsEmit("owned", "owned");
      // What was asked before these would have been answered before them.
      (async () => {
        for (let i = 0; i < 50; i++) await go.desktop.Host.Call(pass, "app.info", "{}");
        done(answers);
      })();`, pass);
    equal(answers, [], "answers");
    equal(command("xclip", ["-selection", "clipboard", "-o"], { env: sandbox.env(env) }), "nobody's business", "the clipboard");
    truth(command("wmctrl", ["-l"], { env: sandbox.env(env) }).split("\n").some((line) => line.endsWith(" Parley")), "the window has another title, or is hidden");
  });

  await suite.check("a copied picture is pasted, and the model sees it", async () => {
    await copy("image/png", readFileSync(picture));
    await keys("ctrl+v");
    await have(["image image.png"]);
    equal(await (await window.find('[data-slot="attachment"] > [data-slot="open"]')).getAccessibleName(), "Open image.png", "the thumbnail's name");
    await window.screenshot("pasted-picture");
    await send("what is in the pasted picture?", "I see the picture.");
    equal(sizeOf(sentPng("pasted picture")), [64, 48], "the size of the picture that was sent");
  });

  await suite.check("a picture of another kind is sent as PNG", async () => {
    await copy("image/bmp", bmp(20, 10, [10, 200, 30]));
    await keys("shift+Insert");
    await have(["image image.png"]);
    await clear();
  });

  await suite.check("copied files are pasted, and the model reads them", async () => {
    await copy("text/uri-list", `${uriOf(notes)}\r\n${uriOf(table)}\r\n`);
    await keys("ctrl+v");
    await have(["file notes é 100%.txt", "file table#1.csv"]);
    await window.screenshot("pasted-files");
    await send("what do the pasted files say?", "I read the files.");
    truth(model.heard("the words of the first file"), "the first file did not reach the model");
    truth(model.heard("the words of the second file"), "the second file did not reach the model");
  });

  await suite.check("files that a file manager copied, and what is refused is shown", async () => {
    await copy("x-special/gnome-copied-files", `copy\n${uriOf(photo)}\n${uriOf(join(given, "a folder"))}\n${uriOf(join(given, "gone.txt"))}\nsftp://host/far.txt`);
    await keys("ctrl+v");
    await have(["image photo.png"]);
    await says("a folder is a folder.");
    await says("gone.txt no longer exists.");
    await says("far.txt isn’t on this computer.");
    await window.screenshot("refused");
    await clear();
  });

  await suite.check("a text is pasted as ever: over the selection, and it can be undone", async () => {
    await copy("UTF8_STRING", "pasted words");
    await type("replace this");
    await keys("ctrl+a", "ctrl+v");
    await until("the text", async () => (await value()) === "pasted words");
    // WebKitGTK has no key for it.
    await browser().executeScript("document.execCommand('undo')");
    await until("the undo", async () => (await value()) === "replace this");
    await keys("ctrl+a", "BackSpace");
  });

  await suite.check("a long text is put aside", async () => {
    await copy("UTF8_STRING", "a line of it\n".repeat(300));
    await keys("ctrl+v");
    await have(["file Pasted text, 301 lines"]);
    await clear();
  });

  await suite.check("an empty clipboard is shown", async () => {
    await copy("application/x-nobody-knows", "nothing");
    await keys("ctrl+v");
    await says("Nothing in there can be attached to a prompt.");
  });

  await suite.check("two files are dropped on the composer, which says so while they are over it", async () => {
    const other = await source("-file", notes, "-file", photo);
    const end = await bring(other, await middle(box), async () => {
      equal(await (await window.find(highlight)).getText(), "Drop to attach to this prompt", "what it says");
      await window.screenshot("highlight");
    });
    equal(end, "taken", "the end");
    await have(["file notes é 100%.txt", "image photo.png"]);
    await window.gone(highlight);
    await window.screenshot("dropped");
    await send("what do the dropped files say?", "They were dropped.");
    equal(sizeOf(sentPng("dropped files")), [300, 200], "the size of the picture that was sent");
    await other.running.stop();
  });

  await suite.check("what is dragged away again leaves no mark, and beside a session nothing is taken", async () => {
    const other = await source("-file", notes);
    // The rejection may arrive after the button was released.
    await until("a drag that is refused", async () =>
      (await bring(other, await middle('[role="log"]'), async () => {
        await window.find(highlight);
        pointer(await middle('[aria-label="Sessions"]'));
        await window.gone(highlight);
      })) === "refused");
    equal(await thumbnails(), [], "what was taken");
    await other.running.stop();
  });

  await suite.check("a picture and a text are dropped out of another program", async () => {
    const image = await source("-picture", picture, "-text", "https://example.com/source.png");
    await bring(image, await middle('[role="log"]'), () => window.find(highlight));
    await have(["image image.png"]);
    await image.running.stop();
    await clear();
    const words = await source("-text", "dragged words");
    await bring(words, await middle(box), () => window.find(highlight));
    await until("the text", async () => (await value()) === "dragged words");
    await words.running.stop();
    await keys("ctrl+a", "BackSpace");
  });

  await suite.check("a source that would lose its files is refused", async () => {
    const other = await source("-file", notes, "-move");
    equal(await bring(other, await middle(box)), "refused", "the end");
    equal((await browser().findElements(By.css(highlight))).length, 0, "marks");
    truth(!other.running.said.includes("moved"), "the file was to be removed");
    await other.running.stop();
  });

  await suite.check("a picture and a change are dragged out as files", async () => {
    writeFileSync(edited(), "one\ntwo\nthree\n");
    await (await window.find(box)).click();
    await type("change it");
    await keys("Return");
    await window.find(`${dock}[data-phase="ready"]`);
    await window.press("Allow", "Question");
    await window.reads("It is changed.");
    await window.idle();
    // Under WebKit's driver the window's own drags do not end as a user's do, so this inspects what one carries.
    const out = async (css) => {
      const given = await until(css, () => browser().executeScript("const dataTransfer = new DataTransfer(); document.querySelector(arguments[0])?.dispatchEvent(new DragEvent('dragstart', { dataTransfer, bubbles: true, cancelable: true })); return dataTransfer.getData('text/uri-list') || null", css));
      const path = fileURLToPath(given.trim());
      await until("the file", () => existsSync(path) && readFileSync(path).length > 0);
      return path;
    };
    await browser().executeScript("for (const b of document.querySelectorAll('[data-component=\"tool-card\"] > button[aria-expanded=\"false\"]')) b.click()");
    const button = 'button[aria-label^="Drag out as a diff"]';
    const diff = await out(button);
    truth(diff.endsWith("/edited.txt.diff"), diff);
    equal(readFileSync(diff, "utf8"), `--- a${edited()}\n+++ b${edited()}\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n`, "the change");
    const image = await out('[role="log"] [data-component="picture"]');
    equal(sizeOf(readFileSync(image)).length, 2, "the picture");
  });

  for (const [theme, width, height] of [["light", 720, 480], ["dark", 720, 480], ["light", 1920, 1080], ["dark", 1920, 1080]]) {
    await suite.check(`pictures of it, ${theme}, ${width} by ${height}`, async () => {
      const id = await mainWindow();
      xdo.run("windowsize", "--sync", id, String(Math.min(width, 1700)), String(Math.min(height, 1000)), "windowmove", "--sync", id, "10", "30");
      await until("the new size", async () => (await browser().executeScript("return innerWidth")) === Math.min(width, 1700));
      await browser().executeScript("document.documentElement.dataset.theme = arguments[0]; document.documentElement.style.colorScheme = arguments[0]", theme);
      const other = await source("-file", notes, "-file", photo, "-file", table);
      await (await window.find(box)).click();
      await bring(other, await middle(box), async () => {
        await window.find(highlight);
        await window.screenshot(`highlight-${theme}-${width}`);
      });
      await have(["file notes é 100%.txt", "image photo.png", "file table#1.csv"]);
      await window.screenshot(`thumbnails-${theme}-${width}`);
      await bring(other, await middle(box), async () => {
        await window.find(highlight);
        await window.screenshot(`highlight-full-${theme}-${width}`);
        pointer(other.at);
      });
      await clear();
      await other.running.stop();
    });
  }

  await suite.check("it ends, and leaves nothing of what was dragged out", async () => {
    command("wmctrl", ["-i", "-c", await mainWindow()], { env: sandbox.env(env) });
    await until("the program to end", () => running().length === 0);
    truth(!existsSync(join(sandbox.data, "lent")), "files are left");
    await driver.stop();
  });
  window = undefined;

  await suite.check("as it is shipped, what is pasted and dropped reaches the model", async () => {
    const shipped = sandbox.start("plain", plain, ["--data", sandbox.data], { env: sandbox.env(env) });
    await shipped.says("first=true");
    const id = await mainWindow();
    const [left, top] = place(id);
    const [, width, height] = /Geometry: (\d+)x(\d+)/.exec(xdo.run("getwindowgeometry", id)).map(Number);
    const drop = file("dropped.txt", "the words of the dropped file\n");
    const from = await source("-file", drop);
    await until("the drop to be taken", async () => (await bring(from, { x: left + width / 2 + 100, y: top + height - 100 })) === "taken");
    await from.running.stop();
    // The clipboard only changes once its content was taken: the draft is saved.
    const kept = () => readdirSync(join(sandbox.data, "attachments")).length;
    const before = kept();
    await copy("image/png", png(31, 17, [9, 9, 9]));
    await keys("ctrl+v");
    await until("the picture to be kept", () => kept() > before);
    await copy("text/uri-list", `${uriOf(file("pasted.txt", "the words of the pasted file\n"))}\r\n`);
    await keys("ctrl+v");
    await type("the plain window");
    await until("the model to hear of it", async () => {
      await keys("Return");
      return model.heard("the plain window");
    }, { every: 700 });
    for (const words of ["the words of the dropped file", "the words of the pasted file"]) truth(model.heard(words), `the model did not hear ${words}`);
    equal(sizeOf(sentPng("the plain window")), [31, 17], "the size of the picture that was sent");
    equal(await shipped.stop(), { code: 0, signal: null }, "the end");
  });
} finally {
  for (const holder of holders) holder.kill();
  await model.close();
  await sandbox.close();
}
suite.end();

/** Parley's running processes. */
function running() {
  return sandbox.leftovers().filter((line) => /bin\/parley|WebKit(Web|Network)Process|claude/.test(line));
}

/** The image of the latest prompt with these words. */
function sentPng(words) {
  const body = model.bodies().findLast((b) => b.includes(words) && b.includes("image/png")) ?? "";
  const all = [...body.matchAll(/"media_type":"image\/png","data":"([A-Za-z0-9+/=]+)"|"data":"([A-Za-z0-9+/=]+)","media_type":"image\/png"/g)];
  return Buffer.from(all.at(-1)?.[1] ?? all.at(-1)?.[2] ?? "", "base64");
}

function sizeOf(data) {
  return data.length < 24 ? [] : [data.readUInt32BE(16), data.readUInt32BE(20)];
}

/** A picture of one color. */
function png(width, height, colour) {
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: width }, () => colour).flat())]);
  const part = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), part("IHDR", head), part("IDAT", deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))), part("IEND", Buffer.alloc(0))]);
}

function bmp(width, height, [red, green, blue]) {
  const stride = Math.ceil((width * 3) / 4) * 4;
  const out = Buffer.alloc(54 + stride * height);
  out.write("BM");
  for (const [at, n] of [[2, out.length], [10, 54], [14, 40], [18, width], [22, height], [34, stride * height]]) out.writeUInt32LE(n, at);
  out.writeUInt16LE(1, 26);
  out.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) out.set([blue, green, red], 54 + y * stride + x * 3);
  return out;
}
