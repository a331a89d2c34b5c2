// Reference pictures of the scenes, stored at half size and compressed. New pictures are processed the same way before
// comparing, and match if at most a thousandth of the pixels differ visibly; differences in antialiasing are ignored.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawnWith, folderOf, picturesIn } from "./gallery.mjs";
import { root } from "./sandbox.mjs";

/** The share of pixels that may differ. */
export const tolerance = 0.001;
/** How much a pixel's color may deviate, from 0 to 1 (pixelmatch's threshold). */
const threshold = 0.1;
const kept = folderOf("frontend/e2e/references");
const aboutFile = join(kept, "about.json");
const file = (name) => join(kept, `${name}.webp`);
const major = (tools) => tools?.chromium?.split(".")[0] ?? "none";

/** Runs in a page: the browser decodes and encodes the pictures. */
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

/** The pictures of a run, and the reference pictures. */
export class Pictures {
  #drawn = new Map();
  #about = existsSync(aboutFile) ? JSON.parse(readFileSync(aboutFile, "utf8")) : {};
  #bench = null;

  add(name, png) {
    this.#drawn.set(name, png);
  }

  /** Why pixels can't be compared: other browser versions render glyphs and edges differently. "" if they can. */
  incomparable({ browser }) {
    const [then, now] = [major(this.#about.drawnWith), browser.version().split(".")[0]];
    return then === now ? "" : `The pictures were drawn with Chromium ${then}, and this is Chromium ${now}. Draw them anew, and look at those that change: node frontend/e2e/gallery.mjs --update`;
  }

  /** The pictures that differ by more than the tolerance, in words. The new pictures and the differences are left in
   * folder. */
  async wrong(gallery, folder, whole) {
    const wrong = [];
    for (const [name, png] of this.#drawn) {
      if (!existsSync(file(name))) {
        wrong.push(`${name}: there is no picture of it`);
        continue;
      }
      if (this.#identical(name)) continue;
      const { differs, share, picture, sizes } = await this.#compare(gallery, name);
      if (differs === 0 || (!sizes && share <= tolerance)) continue;
      wrong.push(sizes ? `${name}: it is ${sizes[0]}, its picture ${sizes[1]}` : `${name}: ${differs} pixels differ, ${(share * 100).toFixed(2)} %`);
      writeFileSync(join(folder, `${name}.png`), png);
      if (picture) writeFileSync(join(folder, `${name}.differs.png`), Buffer.from(picture, "base64"));
    }
    if (whole) for (const name of picturesIn(kept, ".webp")) if (!this.#drawn.has(name)) wrong.push(`${name}: a picture of no scene`);
    const [then, now] = [this.#about.drawnWith, drawnWith(gallery.browser)].map((tools) => JSON.stringify(tools));
    if (wrong.length > 0 && then !== now) wrong.push(`They were drawn with ${then}, and this is ${now}.`);
    return wrong;
  }

  /** Stores changed pictures, and after a full run deletes all others. Returns how many are new. */
  async keep(gallery, whole) {
    let changed = 0;
    const hashes = whole ? {} : { ...this.#about.hashes };
    for (const name of this.#drawn.keys()) {
      hashes[name] = this.#hashOf(name);
      if (this.#identical(name) || (existsSync(file(name)) && (await this.#compare(gallery, name)).differs === 0)) continue;
      const bench = await this.#open(gallery);
      writeFileSync(file(name), Buffer.from(await bench.evaluate((n) => window.toKeep(n), name), "base64"));
      changed++;
    }
    if (whole) for (const name of picturesIn(kept, ".webp")) if (!this.#drawn.has(name)) rmSync(file(name));
    const tools = whole ? drawnWith(gallery.browser) : this.#about.drawnWith;
    writeFileSync(aboutFile, `{\n  "drawnWith": ${JSON.stringify(tools)},\n  "hashes": ${lines(hashes)}\n}\n`);
    return changed;
  }

  /** The files for the page that compares pictures, for openGallery. */
  serve(path) {
    const [, folder, name] = path.split("/");
    if (path === "/bench.html") return { type: "text/html", body: `<!doctype html><script type="module">${benchScript}</script>` };
    if (path === "/pixelmatch.js") return { type: "text/javascript", body: readFileSync(join(root, "frontend/node_modules/pixelmatch/index.js")) };
    if (folder === "drawn") return { type: "image/png", body: this.#drawn.get(name) };
    if (folder === "kept") return { type: "image/webp", body: readFileSync(file(name)) };
    return null;
  }

  #hashOf(name) {
    return createHash("sha256").update(this.#drawn.get(name)).digest("hex").slice(0, 16);
  }

  /** Whether they are identical to the last bit: most are, and need no comparison. */
  #identical(name) {
    return existsSync(file(name)) && this.#about.hashes?.[name] === this.#hashOf(name);
  }

  async #compare(gallery, name) {
    const bench = await this.#open(gallery);
    return await bench.evaluate(([n, t, s]) => window.compare(n, t, s), [name, threshold, tolerance]);
  }

  /** The page that compares, opened on demand. */
  async #open(gallery) {
    if (this.#bench) return this.#bench;
    this.#bench = await gallery.browser.newPage();
    await this.#bench.goto(`${gallery.url}/bench.html`);
    return this.#bench;
  }
}

/** An object as JSON, one line per key, sorted. */
function lines(object) {
  const entries = Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{\n${entries.map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(",\n")}\n  }`;
}
