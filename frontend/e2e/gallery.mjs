// Tests every scene of the gallery: the page is loaded once and shows them one by one. Each
// is compared with its reference picture, light and dark, and checked by axe-core, in high
// contrast too: no violation of WCAG 2.0 to 2.2, levels A and AA, nor of the practices in
// kit/axe.mjs. Beyond axe: nothing is lost at 320 px, at 200% zoom and with the text spacing
// of WCAG, and everything can be distinguished with forced colors.
//
//   node frontend/e2e/gallery.mjs                  everything
//   node frontend/e2e/gallery.mjs chat search      these scenes
//   node frontend/e2e/gallery.mjs --changed        those whose elements or styles have
//                                                  changed since they last passed here
//   node frontend/e2e/gallery.mjs --update         updates pictures that differ, and
//                                                  regenerates the README's pictures
//
// New pictures and differences are left in build/artefacts/gallery. Pictures of another
// major version of Chromium can't be compared: the suite then fails with that reason.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { violations } from "./kit/axe.mjs";
import { equal, progress, Suite, truth } from "./kit/checks.mjs";
import { folderOf, openGallery, picturesIn, setTheme, settled, show } from "./kit/gallery.mjs";
import { Pictures, tolerance } from "./kit/pictures.mjs";
import { artefacts, root, Sandbox } from "./kit/sandbox.mjs";

const workers = 3;
const size = { width: 1200, height: 800 };
const themes = ["light", "dark"];
const inContrast = /^(chat|question-.*|settings-look|usage|files|search|parts-timeline.*)$/;
const spaced = /^(chat|question-.*|settings-look|newsession|switcher|start|files|search)$/;
const spacing = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }";

/** The README's pictures: a scene and its colors for each. They are in build/pictures. */
const shown = {
  "chat-light": ["conversation", "light"],
  "chat-dark": ["conversation", "dark"],
  "diff-light": ["diff", "light"],
  "permission-light": ["question-command", "light"],
  "permission-dark": ["question-command", "dark"],
  "plan-light": ["question-plan", "light"],
  "context-dark": ["context", "dark"],
  "heartbeats-light": ["heartbeats", "light"],
  "rooms-light": ["rooms", "light"],
  "mattermost-light": ["chatOverview", "light"],
};
const readmePictures = folderOf("build/pictures");

const args = process.argv.slice(2);
const update = args.includes("--update");
const changed = args.includes("--changed");
const asked = args.filter((arg) => !arg.startsWith("--"));
const whole = asked.length === 0 && !changed;
/** A digest of each scene when it last passed, by name. */
const passedWith = join(artefacts, "gallery-passed.json");
const before = existsSync(passedWith) ? JSON.parse(readFileSync(passedWith, "utf8")) : {};
const madeOf = {};

const pictures = new Pictures();
const sandbox = new Sandbox("gallery");
const suite = new Suite();
const gallery = await openGallery(sandbox, { extra: (path) => pictures.serve(path) });
/** The findings by check. */
const found = { page: [], axe: [], contrast: [], spacing: [] };
let scenes = [];
let chosen = [];
try {
  scenes = await gallery.scenes();
  if (changed) await through(scenes, async (page, scene) => (madeOf[scene] = await digest(page)));
  chosen = scenes.filter((scene) => whole || asked.includes(scene) || (changed && madeOf[scene] !== before[scene]));
  if (chosen.length > 0 || !changed) await checks();
  else console.log(`All ${scenes.length} scenes are what they were when they passed.`);
} finally {
  await gallery.close();
  await sandbox.close();
}
const unchanged = changed && chosen.length === 0;
process.exitCode = unchanged ? 0 : suite.end();
if (process.exitCode === 0 && !update) writeFileSync(passedWith, JSON.stringify({ ...before, ...madeOf }));

async function checks() {
  let drawn = false;
  await suite.check(`${chosen.length} scenes are shown, light and dark`, async () => {
    truth(chosen.length > 0, `there is no such scene, but: ${scenes.join(" ")}`);
    await through(chosen, look);
    drawn = true;
    equal(found.page, [], "what went wrong");
  });
  // The checks below would miss anything that was not rendered.
  if (!drawn) return;

  if (update) {
    await suite.check("what differs is kept", async () => {
      console.log(`      ${await pictures.keep(gallery, whole)} pictures are new or differ`);
    });
    if (whole) await suite.check("the README's pictures are made", makeReadmePictures);
  } else {
    await suite.check(`they look like the pictures of them (at most ${tolerance * 100} % of the pixels differ)`, async () => {
      const why = pictures.incomparable(gallery);
      truth(why === "", why);
      const wrong = await pictures.wrong(gallery, sandbox.artefacts, whole);
      truth(wrong.length === 0, `${wrong.join("\n")}\nSee ${sandbox.artefacts}. Is it meant to look like that? node frontend/e2e/gallery.mjs --update`);
    });
    await suite.check("axe finds nothing in them", () => nothing(found.axe));
    await suite.check("nor in high contrast", () => nothing(found.contrast));
    await suite.check("nothing is lost with the text spacing of WCAG", () => nothing(found.spacing));
    await suite.check("nor at 320 px", async () => {
      const out = [];
      const narrow = chosen.filter((scene) => !scene.startsWith("parts-"));
      await through(narrow, async (page, scene) => out.push(...(await lost(page)).map((words) => `${scene}: ${words}`)), { viewport: { width: 320, height: 640 } });
      nothing(out);
    });
    await suite.check("forced colours leave the focus, the states and the pictures' edges to be seen", async () => {
      const { page } = await gallery.page({ forcedColors: "active" });
      await show(page, "chat");
      await page.keyboard.press("Tab");
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      truth(outline !== "none", "what has the focus has no outline");
      await page.screenshot({ path: join(sandbox.artefacts, "forced-colours.png") });
      await page.context().close();
    });
  }
  if (whole) {
    await suite.check("the README shows every picture that there is, with words in its place, and no other", async () => {
      const readme = readFileSync(join(root, "README.md"), "utf8");
      const linked = [...readme.matchAll(/!\[([^\]]+)\]\(build\/pictures\/([^)]+)\.png\)|<img[^>]*alt="([^"]+)"[^>]*src="build\/pictures\/([^"]+)\.png"/g)].map((match) => match[2] ?? match[4]);
      const sources = [...readme.matchAll(/srcset="build\/pictures\/([^"]+)\.png"/g)].map((match) => match[1]);
      equal([...new Set([...linked, ...sources])].toSorted(), Object.keys(shown).toSorted(), "what the README links");
      equal(picturesIn(readmePictures, ".png").toSorted(), Object.keys(shown).toSorted(), "what lies in build/pictures");
    });
  }
}

/** Shows every scene and runs act on it, on several pages in parallel. */
async function through(names, act, options = {}) {
  const queue = [...names];
  await Promise.all(
    Array.from({ length: Math.min(workers, queue.length) }, async () => {
      const { page, problems } = await gallery.page({ viewport: size, ...options });
      for (let scene = queue.shift(); scene; scene = queue.shift()) {
        await show(page, scene);
        await act(page, scene);
        progress();
        found.page.push(...problems.splice(0).map((problem) => `${scene}: ${problem}`));
      }
      await page.context().close();
    }),
  );
}

/** Its elements and all styles, without generated names. */
async function digest(page) {
  const parts = await page.evaluate(async () => {
    const sheets = [...document.querySelectorAll("link[rel=stylesheet]")].map(({ href }) => fetch(href).then((answer) => answer.text()));
    return [document.documentElement.outerHTML.replace(/\bcl-\d+(-\d+)*/g, "cl"), ...(await Promise.all(sheets))];
  });
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** Takes a scene's pictures and runs axe on it. */
async function look(page, scene) {
  madeOf[scene] ??= await digest(page);
  const tall = scene.startsWith("parts-") && { width: 860, height: await page.evaluate(() => document.querySelector('[data-component="parts"]').scrollHeight) };
  for (const theme of themes) {
    await setTheme(page, theme);
    if (tall) await resize(page, tall);
    pictures.add(`${scene}.${theme}`, await page.screenshot({ caret: "hide", animations: "disabled" }));
    if (tall) await resize(page, size);
    // A scene's content does not depend on its colors.
    if (!update) found.axe.push(...(await violations(page, theme === "light" ? null : ["color-contrast"])).map((words) => `${scene}, ${theme}: ${words}`));
  }
  if (!update && inContrast.test(scene)) {
    for (const theme of themes) {
      await setTheme(page, theme, "contrast");
      found.contrast.push(...(await violations(page, ["color-contrast"])).map((words) => `${scene}, ${theme}: ${words}`));
    }
  }
  if (!update && spaced.test(scene)) {
    const style = await page.addStyleTag({ content: spacing });
    await settled(page);
    found.spacing.push(...(await lost(page)).map((words) => `${scene}: ${words}`));
    await style.evaluate((element) => element.remove());
  }
}

async function resize(page, to) {
  await page.setViewportSize(to);
  await settled(page);
}

/** Controls and texts that can't be reached or read: outside the window, with no scroll container. */
async function lost(page) {
  return await page.evaluate(() => {
    const wrong = [];
    if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    const reachable = (element) => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        const { overflowX } = getComputedStyle(at);
        if (overflowX === "auto" || overflowX === "scroll") return true;
      }
      return false;
    };
    const top = document.querySelector('[role="dialog"], [role="alertdialog"]') ?? document;
    for (const control of top.querySelectorAll("button, input, textarea, select, a[href], [role=tab], h1, h2")) {
      const box = control.getBoundingClientRect();
      if (box.width <= 1 || box.height <= 1 || control.closest("[inert], [aria-hidden=true], .visually-hidden")) continue;
      if (getComputedStyle(control).visibility === "hidden") continue;
      if ((box.left < -1 || box.right > innerWidth + 1) && !reachable(control)) {
        wrong.push(`${control.tagName.toLowerCase()} "${(control.getAttribute("aria-label") ?? control.textContent ?? "").trim().slice(0, 40)}" reaches from ${Math.round(box.left)} to ${Math.round(box.right)} px`);
      }
    }
    return wrong;
  });
}

async function makeReadmePictures() {
  const { page } = await gallery.page({ viewport: { width: 1120, height: 800 }, deviceScaleFactor: 1.5 });
  for (const [name, [scene, theme]] of Object.entries(shown)) {
    await show(page, scene);
    await setTheme(page, theme);
    const { width, height, data } = PNG.sync.read(await page.screenshot({ caret: "hide", animations: "disabled" }));
    writeFileSync(join(readmePictures, `${name}.png`), PNG.sync.write({ width, height, data }, { colorType: 2, inputColorType: 6, deflateLevel: 9, filterType: -1 }));
  }
  await page.context().close();
  for (const name of picturesIn(readmePictures, ".png")) if (!shown[name]) rmSync(join(readmePictures, `${name}.png`));
}

/** Fails with the first findings. */
function nothing(things) {
  truth(things.length === 0, `${things.length} things:\n${things.slice(0, 40).join("\n")}`);
}
