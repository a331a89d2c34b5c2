// Every scene of the gallery, light and dark, compared with the picture of it that is
// checked in.
//
//   node frontend/e2e/gallery.mjs                  compares
//   node frontend/e2e/gallery.mjs chat search      compares these scenes
//   node frontend/e2e/gallery.mjs --update         keeps what is drawn now, where it differs,
//                                                  and makes the README's pictures again
//
// The pictures are kept at half their size, and small. What is drawn goes the same way
// before it is compared, and is the same when at most a thousandth of the pixels differ
// visibly; what differs by the smoothing of edges alone counts for nothing. What was
// drawn and where it differs is left in build/artefacts/gallery. Where browser or fonts are not
// those that the checked-in pictures were drawn with, pixels say nothing: then only
// what the scenes are made of is compared, and the suite says so.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { equal, Suite, truth } from "./kit/checks.mjs";
import { drawnWith, folderOf, openGallery, picturesIn, setTheme } from "./kit/gallery.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";

/** The share of pixels that may differ. */
const tolerance = 0.001;
/** How far a pixel's colour may be off before it differs, from 0 to 1 (pixelmatch's threshold). */
const threshold = 0.1;
const workers = 3;
const themes = ["light", "dark"];
const kept = folderOf("frontend/e2e/references");
const aboutFile = join(kept, "about.json");

/** The README's pictures: a scene and its colours for each. They lie in build/pictures. */
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
const pictures = folderOf("build/pictures");

const args = process.argv.slice(2);
const update = args.includes("--update");
const asked = args.filter((arg) => !arg.startsWith("--"));

const about = existsSync(aboutFile) ? JSON.parse(readFileSync(aboutFile, "utf8")) : { drawnWith: {}, scenes: {} };
/** The pictures of this run, by name. */
const drawn = new Map();
const sandbox = new Sandbox("gallery");
const suite = new Suite();
/** Runs in a page: the browser reads and writes the pictures' formats. */
const benchScript = `
  import pixelmatch from "/pixelmatch.js";
  async function pixels(path) {
    const picture = await createImageBitmap(await (await fetch(path)).blob(), { colorSpaceConversion: "none" });
    return canvasOf(picture, picture.width, picture.height);
  }
  function canvasOf(picture, width, height) {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, width, height);
    return { canvas, context, width, height, data: context.getImageData(0, 0, width, height).data };
  }
  /** As it is kept. */
  async function small(path) {
    const { canvas, width, height } = await pixels(path);
    return await canvasOf(canvas, Math.ceil(width / 2), Math.ceil(height / 2)).canvas.convertToBlob({ type: "image/webp", quality: 0.8 });
  }
  const base64 = async (blob) => (await new Promise((resolve) => { const reader = new FileReader(); reader.onload = () => resolve(reader.result); reader.readAsDataURL(blob); })).split(",")[1];
  window.compare = async (name, threshold, tolerance) => {
    const [now, then] = await Promise.all([pixels(URL.createObjectURL(await small("/drawn/" + name))), pixels("/kept/" + name)]);
    if (now.width !== then.width || now.height !== then.height) return { differs: -1, sizes: [now, then].map((p) => p.width + "×" + p.height) };
    const out = new ImageData(now.width, now.height);
    const differs = pixelmatch(now.data, then.data, out.data, now.width, now.height, { threshold });
    const share = differs / (now.width * now.height);
    if (share <= tolerance) return { differs, share };
    now.context.putImageData(out, 0, 0);
    return { differs, share, picture: await base64(await now.canvas.convertToBlob({ type: "image/png" })) };
  };
  window.toKeep = async (name) => base64(await small("/drawn/" + name));
`;
const file = (name) => join(kept, `${name}.webp`);

const gallery = await openGallery(sandbox, { extra: serve });
try {
  const bench = (await gallery.page()).page;
  const scenes = await gallery.scenes(bench);
  await bench.goto(`${gallery.url}/bench.html`);
  const chosen = asked.length > 0 ? scenes.filter((scene) => asked.includes(scene)) : scenes;
  const tools = drawnWith(gallery.browser);
  const same = JSON.stringify(tools) === JSON.stringify(about.drawnWith);
  const made = {};
  const problems = [];
  const hashOf = (name) => createHash("sha256").update(drawn.get(name)).digest("hex").slice(0, 16);
  /** The same to the last bit: most of them are, and nothing has to be compared. */
  const identical = (name) => same && existsSync(file(name)) && about.hashes?.[name] === hashOf(name);

  await suite.check(`${chosen.length} scenes are drawn, light and dark`, async () => {
    truth(chosen.length > 0, "there is no such scene");
    const queue = [...chosen];
    await Promise.all(Array.from({ length: workers }, () => draw(queue, made, problems)));
    equal(problems, [], "what went wrong");
  }, { timeout: 900_000 });

  if (update) {
    await suite.check("what differs is kept", async () => {
      const changed = [];
      const hashes = asked.length > 0 ? { ...about.hashes } : {};
      for (const name of drawn.keys()) {
        hashes[name] = hashOf(name);
        if (identical(name) || (existsSync(file(name)) && (await compare(name)).differs === 0)) continue;
        writeFileSync(file(name), Buffer.from(await bench.evaluate((n) => window.toKeep(n), name), "base64"));
        changed.push(name);
      }
      if (asked.length === 0) for (const name of picturesIn(kept, ".webp")) if (!drawn.has(name)) rmSync(file(name));
      const all = { ...(asked.length > 0 ? about.scenes : {}), ...made };
      writeFileSync(aboutFile, `{\n  "drawnWith": ${JSON.stringify(tools)},\n  "scenes": ${lines(all)},\n  "hashes": ${lines(hashes)}\n}\n`);
      console.log(`      ${changed.length} pictures are new or differ`);
    }, { timeout: 900_000 });
    await suite.check("the README's pictures are made", async () => {
      if (asked.length > 0) return;
      for (const [name, [scene, theme]] of Object.entries(shown)) {
        const { page } = await gallery.page({ viewport: { width: 1120, height: 800 }, deviceScaleFactor: 1.5 });
        await gallery.show(page, scene, `&theme=${theme}`);
        const { width, height, data } = PNG.sync.read(await page.screenshot({ caret: "hide", animations: "disabled" }));
        writeFileSync(join(pictures, `${name}.png`), PNG.sync.write({ width, height, data }, { colorType: 2, inputColorType: 6, deflateLevel: 9, filterType: -1 }));
        await page.context().close();
      }
      for (const name of picturesIn(pictures, ".png")) if (!shown[name]) rmSync(join(pictures, `${name}.png`));
    });
  } else if (same) {
    await suite.check(`they look like the pictures of them (at most ${tolerance * 100} % of the pixels differ)`, async () => {
      const wrong = [];
      for (const name of drawn.keys()) {
        if (!existsSync(file(name))) {
          wrong.push(`${name}: there is no picture of it`);
          continue;
        }
        if (identical(name)) continue;
        const { differs, share, picture, sizes } = await compare(name);
        if (differs === 0 || (!sizes && share <= tolerance)) continue;
        wrong.push(sizes ? `${name}: it is ${sizes[0]}, its picture ${sizes[1]}` : `${name}: ${differs} pixels differ, ${(share * 100).toFixed(2)} %`);
        writeFileSync(join(sandbox.artefacts, `${name}.png`), drawn.get(name));
        if (picture) writeFileSync(join(sandbox.artefacts, `${name}.differs.png`), Buffer.from(picture, "base64"));
      }
      if (asked.length === 0) for (const name of picturesIn(kept, ".webp")) if (!drawn.has(name)) wrong.push(`${name}: a picture of no scene`);
      truth(wrong.length === 0, `${wrong.join("\n")}\nSee ${sandbox.artefacts}. Is it meant to look like that? node frontend/e2e/gallery.mjs --update`);
    }, { timeout: 900_000 });
  } else {
    await suite.check("they are made of the same parts; PIXELS ARE NOT COMPARED: another browser or other fonts", async () => {
      console.log(`      drawn with ${JSON.stringify(tools)}\n      pictures with ${JSON.stringify(about.drawnWith)}`);
      for (const scene of chosen) equal(made[scene], about.scenes[scene], `what ${scene} is made of`);
    });
  }
  if (asked.length === 0) {
    await suite.check("the README shows every picture that there is, with words in its place, and no other", async () => {
      const readme = readFileSync(join(root, "README.md"), "utf8");
      const linked = [...readme.matchAll(/!\[([^\]]+)\]\(build\/pictures\/([^)]+)\.png\)|<img[^>]*alt="([^"]+)"[^>]*src="build\/pictures\/([^"]+)\.png"/g)].map((found) => found[2] ?? found[4]);
      const sources = [...readme.matchAll(/srcset="build\/pictures\/([^"]+)\.png"/g)].map((found) => found[1]);
      equal([...new Set([...linked, ...sources])].toSorted(), Object.keys(shown).toSorted(), "what the README links");
      equal(picturesIn(pictures, ".png").toSorted(), Object.keys(shown).toSorted(), "what lies in build/pictures");
    });
  }
} finally {
  await gallery.close();
  await sandbox.close();
}
process.exitCode = suite.end();

/** Takes pictures of scenes until there are none left. */
async function draw(queue, made, problems) {
  const size = { width: 1200, height: 800 };
  const { page, problems: mine } = await gallery.page({ viewport: size });
  for (let scene = queue.shift(); scene; scene = queue.shift()) {
    await gallery.show(page, scene);
    const tall = scene.startsWith("parts-") ? await page.evaluate(() => document.querySelector('[data-component="parts"]').scrollHeight) : 0;
    if (tall > 0) await page.setViewportSize({ width: 860, height: tall });
    for (const theme of themes) {
      await setTheme(page, theme);
      drawn.set(`${scene}.${theme}`, await page.screenshot({ caret: "hide", animations: "disabled" }));
    }
    made[scene] = await page.evaluate(() => {
      const count = {};
      for (const element of document.querySelectorAll("[data-component]")) count[element.dataset.component] = (count[element.dataset.component] ?? 0) + 1;
      return Object.fromEntries(Object.entries(count).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    });
    if (tall > 0) await page.setViewportSize(size);
    problems.push(...mine.splice(0).map((problem) => `${scene}: ${problem}`));
  }
  await page.context().close();
}

/** An object as JSON, a line for each key, in order. */
function lines(object) {
  const entries = Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{\n${entries.map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(",\n")}\n  }`;
}

/** How a drawn picture differs from the kept one. */
async function compare(name) {
  const page = gallery.browser.contexts()[0].pages()[0];
  return await page.evaluate(([n, t, s]) => window.compare(n, t, s), [name, threshold, tolerance]);
}

/** The page that compares pictures, and what it needs. */
function serve(path) {
  const [, folder, name] = path.split("/");
  if (path === "/bench.html") return { type: "text/html", body: `<!doctype html><script type="module">${benchScript}</script>` };
  if (path === "/pixelmatch.js") return { type: "text/javascript", body: readFileSync(join(root, "frontend/node_modules/pixelmatch/index.js")) };
  if (folder === "drawn") return { type: "image/png", body: drawn.get(name) };
  if (folder === "kept") return { type: "image/webp", body: readFileSync(file(name)) };
  return null;
}
