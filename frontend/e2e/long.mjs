// Conversations of thousands of messages in Chromium, with a headless Parley and the real CLI: few rows are rendered,
// content being read does not move, and memory is bounded. long-bench.mjs measures the speed.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, progress, Suite, truth, until } from "./kit/checks.mjs";
import { keptBytes } from "./kit/heap.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { longPast, writePast } from "./kit/transcripts.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const words = (from, to) => Array.from({ length: to - from }, (_, i) => `Line ${from + i} of what the model says.\n\n`).join("");
const model = await startModel({
  stream: [[text(words(0, 60)), { type: "hold" }, text(words(60, 120))]],
  burst: [[{ ...text(words(0, 200)), pieces: words(0, 200).match(/[^]{1,300}/g), every: 15 }]],
});

const messages = 4000;
/** The maximum number of rendered rows, whatever is scrolled. */
const mostRows = 80;
/** Sessions opened and closed to measure memory, after enough of them to fill the caches. */
const [before, measured] = [20, 50];

const sandbox = new Sandbox("long");
const monsters = join(sandbox.home, "monsters");
const many = join(sandbox.home, "many");
for (const folder of [monsters, many]) mkdirSync(folder);
const past = [...longPast(messages)];
past.slice(1200).find((step) => step.words).words += "\n\nHere is the heliotrope that somebody looks for.";
writePast(sandbox, past);
const long = "A very long line that never ends, without any purpose. ".repeat(30_000);
writePast(sandbox, [{ prompt: "Monsters" }, { words: "Small." }, { prompt: long }, { words: long }, { tool: { name: "Bash", input: { command: "cat all" }, output: long } }, { words: "The end." }], { cwd: monsters });
for (let i = 0; i < before + measured; i++) writePast(sandbox, [{ prompt: `Short session ${i}` }, ...longPast(150)], { cwd: many, at: Date.now() - 172_800_000 });

let browser;
let page;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const log = () => page.getByRole("log");
const row = (title) => page.getByRole("navigation", { name: "Sessions" }).locator('[data-slot="session"]').filter({ hasText: title }).first();
/** Switches to a session with the palette. */
/** When the page saved its layout, with the position in each conversation. */
const kept = [];
const goTo = async (title) => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Run a command/ }).fill(title);
  await page.getByRole("option", { name: new RegExp(`${title}\\b`) }).first().click();
};
const frames = async (n = 3) => await page.evaluate(async (n) => {
  for (let i = 0; i < n; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
}, n);
/** The rendered rows and the scroll position. */
const look = async () => await log().evaluate((log) => ({
  rows: log.querySelectorAll("[data-row]").length,
  top: log.scrollTop,
  below: log.scrollHeight - log.scrollTop - log.clientHeight,
  height: log.scrollHeight,
}));
/** The first text block that starts in the view, and its position: blocks that start above don't count. */
const reading = async () => await log().evaluate((log) => {
  const top = log.getBoundingClientRect().top;
  const words = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const node = words.currentNode;
    const row = node.parentElement.closest("[data-row]");
    const block = node.parentElement.closest("p, li, pre, td, th, h1, h2, h3, h4, h5, h6, button, div");
    if (!row || node.data.trim() === "" || node.parentElement.closest(".visually-hidden")) continue;
    const box = block.getBoundingClientRect();
    if (box.height > 0 && box.top >= top) return { row: row.dataset.row, words: block.textContent.slice(0, 80), at: box.top - top };
  }
  return null;
});
/** The current position of that text, in the same row. */
const where = async ({ row, words }) => await log().evaluate((log, [row, words]) => {
  const elements = log.querySelectorAll(`[data-row="${CSS.escape(row)}"] *`);
  const found = [...elements].findLast((element) => element.textContent.slice(0, 80) === words);
  return found ? found.getBoundingClientRect().top - log.getBoundingClientRect().top : null;
}, [row, words]);
const stays = async (mark, what, most = 2) => {
  const now = await where(mark);
  truth(now !== null && Math.abs(now - mark.at) <= most, `${what} moved what is read (${mark.words}) from ${mark.at} to ${now}`);
};
/** Scrolls like a user, and waits until everything in view is rendered: fast scrolling renders some of it later. */
const scroll = async (by) => {
  await log().evaluate((log, by) => {
    log.dispatchEvent(new WheelEvent("wheel", { deltaY: by }));
    log.scrollTop += by;
  }, by);
  await frames();
  await until("the rows in sight", async () => await log().evaluate((log) => [...log.querySelectorAll("[data-row]")].every((row) => row.firstElementChild)));
};
/** Scrolls by this much, slowly at the end, and returns the text being read there. */
const readAfter = async (by) => {
  await scroll(by + 40);
  await scroll(-40);
  return await reading();
};
const atEnd = async (what) => await until(what, async () => (await look()).below <= 1);

try {
  browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => {
      const { id, method } = JSON.parse(payload);
      if (method === "layout.set") kept.push({ id, at: performance.now(), answered: false });
    });
    socket.on("framereceived", ({ payload }) => {
      const { id } = JSON.parse(payload);
      for (const layout of kept) if (layout.id === id) layout.answered = true;
    });
  });
  await page.goto(server.link);

  await suite.check("4,000 messages open at their end, with a few rows", async () => {
    await row("Prompt number 0").click();
    await log().getByText(/^Answer number 17\d\d/).last().waitFor();
    await atEnd("the end to be in view");
    truth((await look()).rows <= mostRows, `${(await look()).rows} rows are drawn`);
    await page.screenshot(shot(sandbox, "end"));
  });

  await suite.check("what the CLI wrote without Parley says what its turns took, and not what nobody knows", async () => {
    const lines = await log().locator('[data-component="turn-footer"] [data-slot="line"]').allTextContents();
    truth(lines.length > 0 && lines.every((line) => /^Opus 5.5 · [\d.]+ s · [\d.]+k tokens in, \d+ out(?:, \d+ steps)?$/.test(line)), `it says ${lines.join("; ")}`);
  });

  await suite.check("older pages come in front and move nothing", async () => {
    for (let i = 0; i < 24; i++) {
      const { height } = await look();
      const mark = await readAfter(-1500);
      // In each frame until more is loaded.
      const worst = await page.evaluate(async ([row, words, at]) => {
        const log = document.querySelector('[role="log"]');
        let worst = 0;
        for (let i = 0; i < 20; i++) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          const found = [...log.querySelectorAll(`[data-row="${CSS.escape(row)}"] *`)].findLast((e) => e.textContent.slice(0, 80) === words);
          worst = Math.max(worst, found ? Math.abs(found.getBoundingClientRect().top - log.getBoundingClientRect().top - at) : 9999);
        }
        return worst;
      }, [mark.row, mark.words, mark.at]);
      truth(worst <= 2, `what is read moved by ${worst} px`);
      if ((await look()).height > height + 2000) return;
    }
    throw new Error("no older messages came");
  });

  await suite.check("Home goes to the very first message, End to the last", async () => {
    await log().focus();
    await page.keyboard.press("Home");
    await log().getByText("Prompt number 0.").waitFor();
    await until("the beginning", async () => (await look()).top === 0);
    equal(await log().getByText(/^Session started/).count(), 1, "dividers that say when it was begun");
    truth((await look()).rows <= mostRows, `${(await look()).rows} rows are drawn`);
    await page.screenshot(shot(sandbox, "start"));
    await page.keyboard.press("Control+End");
    await log().getByText(/^Answer number 17\d\d/).last().waitFor();
    await atEnd("the end");
    await page.keyboard.press("Control+Home");
    await until("the beginning", async () => (await look()).top === 0);
    // The messages in between are loaded, and nothing moves.
    await log().locator('[data-slot="gap"]').waitFor({ state: "detached" });
    equal((await look()).top, 0, "the place");
    await page.keyboard.press("End");
    await log().getByText(/^Answer number 17\d\d/).last().waitFor();
    await atEnd("the end");
  });

  await suite.check("scrolling from end to end draws few rows and leaves no hole", async () => {
    const { most, holes, seen } = await page.evaluate(async () => {
      const log = document.querySelector('[role="log"]');
      log.scrollTop = 0;
      const result = { most: 0, holes: 0, seen: 0 };
      for (let end = false; !end; result.seen++) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        await new Promise((resolve) => setTimeout(resolve));
        const view = log.getBoundingClientRect();
        const boxes = [...log.querySelectorAll("[data-row]")].filter((row) => row.parentElement.style.opacity !== "0").map((row) => row.getBoundingClientRect());
        result.most = Math.max(result.most, log.querySelectorAll("[data-row]").length);
        const middle = view.top + view.height / 2;
        if (!boxes.some((box) => box.top - 16 <= middle && box.bottom + 16 >= middle)) result.holes++;
        end = log.scrollTop + log.clientHeight >= log.scrollHeight - 1;
        log.scrollTop += 10 * log.clientHeight;
      }
      return result;
    });
    truth(seen > 50, `${seen} steps`);
    truth(most <= mostRows, `${most} rows were drawn`);
    equal(holes, 0, "views with nothing in the middle");
  });

  await suite.check("another size of the window or of the composer moves nothing that is read", async () => {
    const mark = await readAfter(-7000);
    await page.setViewportSize({ width: 1180, height: 640 });
    await frames();
    await stays(mark, "a lower window");
    await page.getByRole("textbox", { name: "Prompt" }).fill("one\ntwo\nthree\nfour\nfive");
    await frames();
    await stays(mark, "a higher composer");
    await page.getByRole("textbox", { name: "Prompt" }).fill("");
    await page.setViewportSize({ width: 720, height: 640 });
    await frames(5);
    await stays(mark, "a narrower window", 3);
    await page.setViewportSize({ width: 1180, height: 800 });
    await frames(5);
    await stays(mark, "a wider window", 3);
  });

  await suite.check("what grows above the view moves nothing, in the same message neither", async () => {
    const mark = await reading();
    const grown = await log().evaluate((log, id) => {
      const row = log.querySelector(`[data-row="${CSS.escape(id)}"]`);
      if (row.firstElementChild.getBoundingClientRect().top >= log.getBoundingClientRect().top) return false;
      const block = document.createElement("div");
      block.style.height = "400px";
      row.firstElementChild.prepend(block);
      const above = [...log.querySelectorAll("[data-row]")].find((r) => r.getBoundingClientRect().bottom < log.getBoundingClientRect().top);
      const other = document.createElement("div");
      other.style.height = "300px";
      above?.firstElementChild.prepend(other);
      return true;
    }, mark.row);
    await frames();
    // A row that starts in the view grows within it.
    if (grown) await stays(mark, "growth above");
  });

  await suite.check("the focus and what is selected stay, however far they are scrolled away", async () => {
    // Chromium doesn't count Alt combinations as keyboard input; the focus ring must be shown anyway after a click.
    await page.getByRole("textbox", { name: "Prompt" }).click();
    await page.keyboard.press("Alt+Shift+ArrowUp");
    equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "solid", "the ring");
    const focused = await page.evaluate(() => document.activeElement.dataset.messageId);
    truth(focused, "no message has the focus");
    await page.keyboard.press("Alt+Shift+ArrowUp");
    const next = await page.evaluate(() => document.activeElement.dataset.messageId);
    truth(next && next !== focused, "the focus did not go on");
    await page.evaluate(() => document.getSelection().selectAllChildren(document.activeElement));
    await scroll(-20_000);
    equal(await page.evaluate(() => [document.activeElement.dataset.messageId, document.getSelection().toString().length > 5]), [next, true], "focus and selection");
    truth((await look()).rows <= mostRows, "too many rows are drawn");
    await page.keyboard.press("Alt+Shift+ArrowDown");
    const back = await page.evaluate(() => document.activeElement.getBoundingClientRect().top);
    truth(back > 0 && back < 800, "the focus is out of sight");
    await page.evaluate(() => document.getSelection().removeAllRanges());
  });

  await suite.check("a card that was opened is still open after a long way", async () => {
    const card = log().locator('[data-component="tool-card"] [aria-expanded="false"]').first();
    for (let i = 0; i < 10 && !(await card.count()); i++) await scroll(-800);
    await card.scrollIntoViewIfNeeded();
    await card.click();
    const id = await log().locator('[data-row]:has([data-component="tool-card"] [aria-expanded="true"])').first().getAttribute("data-row");
    await scroll(-9000);
    await scroll(9000);
    truth(await log().locator(`[data-row="${id}"] [aria-expanded="true"]`).count(), "the card is closed");
  });

  await suite.check("what is scrolling takes a click, in the conversation and in the list of sessions", async () => {
    // In one call: it counts as scrolling for some time after it has moved.
    const struck = async (view) => await view.evaluate((view) => {
      const top = view.scrollTop;
      view.scrollTop += top > 100 ? -100 : 100;
      view.dispatchEvent(new Event("scroll"));
      const { left, top: edge, width, height } = view.getBoundingClientRect();
      const under = document.elementFromPoint(left + width / 2, edge + height / 2);
      return [view.scrollTop !== top, under !== view && Boolean(under?.closest('[data-slot="row"]'))];
    });
    equal(await struck(log()), [true, true], "the conversation scrolled, and a row is under the pointer");
    await page.setViewportSize({ width: 1180, height: 400 });
    await frames();
    equal(await struck(page.getByRole("navigation", { name: "Sessions" }).locator('[data-slot="list"]')), [true, true], "the list scrolled, and a row is under the pointer");
    await page.setViewportSize({ width: 1180, height: 800 });
    await frames();
  });

  await suite.check("a session is found again where it was left", async () => {
    const mark = await readAfter(-3000);
    await goTo("Monsters");
    await log().getByText("The end.").waitFor();
    await goTo("Prompt number 0");
    const left = performance.now();
    await until("the place", async () => (await where(mark)) !== null);
    await frames(5);
    await stays(mark, "leaving and coming back");
    await until("the place to be kept", () => kept.some(({ at, answered }) => at > left && answered));
    await page.goto("about:blank");
    await page.goto(server.link);
    await until("the place after a reload", async () => (await log().count()) > 0 && (await where(mark)) !== null);
    await frames(5);
    await stays(mark, "a reload", 3);
    await page.screenshot(shot(sandbox, "place"));
  });

  await suite.check("a message far back is gone to, and what comes after it is read", async () => {
    await page.getByRole("button", { name: "Back to latest" }).click({ timeout: 1000 }).catch(() => {});
    await log().focus();
    await page.keyboard.press("End");
    await until("the search to know it", async () => {
      await page.keyboard.press("Control+Shift+F");
      await page.getByRole("searchbox").or(page.getByRole("combobox")).last().fill("heliotrope");
      return await page.getByText("that somebody looks for").first().waitFor({ timeout: 1500 }).then(() => true, () => false);
    });
    await page.getByText("that somebody looks for").first().click();
    const found = log().locator("[data-marked]").filter({ hasText: "heliotrope" });
    await found.waitFor();
    const box = async () => await log().getByText("heliotrope").first().boundingBox();
    let was;
    await until("it to be in sight", async () => {
      await frames(2); // it exists before it is scrolled to
      was = await box();
      return was && was.y > 0 && was.y < 800;
    });
    await page.getByText("Newer messages aren’t shown here.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Back to latest" }).waitFor({ state: "detached" });
    await frames(5);
    const now = await box();
    truth(now && Math.abs(now.y - was.y) <= 2, `it moved from ${was.y} to ${now?.y}`);
    await page.screenshot(shot(sandbox, "jump"));
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await atEnd("the end");
  });

  await suite.check("what streams is followed from the end, and not from elsewhere", async () => {
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    await goTo("Short session 2");
    await log().getByText(/^Answer number/).last().waitFor();
    await prompt.fill("stream");
    await page.keyboard.press("Enter");
    await log().getByText("Line 59 of").waitFor();
    await atEnd("the end to be followed");
    const mark = await readAfter(-80);
    model.release();
    await page.getByRole("button", { name: "New messages below" }).waitFor();
    await stays(mark, "what streams");
    await page.getByRole("button", { name: "New messages below" }).click();
    await log().getByText("Line 119 of").waitFor();
    await atEnd("the end");
    await page.getByRole("button", { name: "New messages below" }).waitFor({ state: "detached" });
  });

  await suite.check("an answer that begins with a lot leaves no frame without words", async () => {
    for (const session of [3, 4, 5]) {
      await goTo(`Short session ${session}`);
      await log().getByText(/^Answer number/).last().waitFor();
      await atEnd("the end");
      await page.getByRole("textbox", { name: "Prompt" }).fill("burst");
      await log().evaluate((log) => {
        window.blank = [];
        const look = () => {
          const view = log.getBoundingClientRect();
          const seen = [...log.querySelectorAll("[data-row]")].some((row) => {
            const box = row.getBoundingClientRect();
            return box.bottom > view.top && box.top < view.bottom && row.parentElement.style.opacity !== "0";
          });
          if (!seen) window.blank.push(`nothing at ${log.scrollTop} of ${log.scrollHeight}`);
        };
        // After each rendered frame.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = look;
        const frame = () => {
          port2.postMessage(0);
          if (log.isConnected) requestAnimationFrame(frame);
        };
        frame();
      });
      await page.keyboard.press("Enter");
      await log().getByText("Line 199 of").waitFor();
      equal(await page.evaluate(() => window.blank), []);
      await atEnd("the end to be followed");
    }
  });

  await suite.check("texts of 1.6 MB are folded, and shown in slices", async () => {
    await goTo("Monsters");
    await log().getByText("The end.").waitFor();
    const drawn = async () => await log().evaluate((log) => log.textContent.length);
    await scroll(-20_000);
    truth((await drawn()) < 40_000, `${await drawn()} characters are drawn`);
    const folded = log().getByRole("group", { name: "Long prompt" });
    await folded.getByRole("button", { name: /^Show more/ }).click();
    await frames();
    truth((await folded.evaluate((group) => group.textContent.length)) < 70_000, "more than a slice is drawn");
    await page.screenshot(shot(sandbox, "monster"));
  });

  await suite.check("what is opened at the end stays where it was clicked, and the end is followed once it is closed", async () => {
    await log().focus();
    await page.keyboard.press("End");
    await atEnd("the end");
    const line = log().locator('[data-component="tool-card"] > [data-slot="line"]').last();
    const top = async () => (await line.boundingBox()).y;
    const [was, { height }] = [await top(), await look()];
    await line.click();
    await until("what is opened", async () => (await look()).height > height + 50);
    await frames(5);
    truth(Math.abs((await top()) - was) <= 2, `it moved from ${was} to ${await top()}`);
    await line.click();
    await until("it to be closed", async () => (await look()).height <= height + 2);
    await frames(5);
    await atEnd("the end");
    truth(Math.abs((await top()) - was) <= 2, `it moved from ${was} to ${await top()} when it was closed`);
  });

  await suite.check("50 sessions opened and closed leave nothing in memory", async () => {
    const openAndClose = async (i) => {
      await goTo(`Short session ${i}`);
      await page.getByRole("heading", { level: 1, name: `Short session ${i}`, exact: true }).waitFor();
      await log().locator("[data-row]").last().waitFor();
      await page.keyboard.press("Alt+w");
      progress();
    };
    await page.keyboard.press("Alt+w");
    for (let i = 0; i < before; i++) await openAndClose(i);
    const start = await keptBytes(page);
    for (let i = before; i < before + measured; i++) await openAndClose(i);
    const end = await keptBytes(page);
    console.log(`      ${(start / 1e6).toFixed(1)} MB, then ${(end / 1e6).toFixed(1)} MB`);
    truth(end <= start * 1.1, `the heap grew from ${start} to ${end} bytes`);
  });

  await suite.check("until here the page made no errors", async () => {
    equal(problems, [], "what went wrong");
  });

  await suite.check("ends and leaves nothing", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await browser.close();
    await sandbox.leavesNothing();
  });
} finally {
  await browser?.close();
  await model.close();
  await sandbox.close();
}
suite.end();
