// The gallery in Chromium, rendered identically everywhere: with a stopped clock, no animation, and only the fonts that
// the project's scripts install.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, extname, join } from "node:path";
import { startBrowser } from "./browser.mjs";
import { patience } from "./checks.mjs";
import { command } from "./command.mjs";
import { root } from "./sandbox.mjs";

const frontend = join(root, "frontend");
const built = join(frontend, "gallery-dist");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml", ".webp": "image/webp", ".png": "image/png" };
const fonts = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"];
const fontFolder = "/usr/share/fonts/truetype/dejavu";

/** The time in every picture: a Saturday afternoon. */
export const standingTime = new Date("2026-11-21T15:30:00Z");

/**
 * Runs in the page. Immediate and short timers fire soon, however slow the machine is; timers of a second or more, such
 * as for a mark that disappears, never fire.
 */
function stopClock(at) {
  const Real = Date;
  window.Date = class extends Real {
    constructor(...args) {
      super(...(args.length === 0 ? [at] : args));
    }
    static now() {
      return at;
    }
  };
  const soon = new Set();
  window.awaited = () => soon.size;
  const { setTimeout: set, clearTimeout: clear, setInterval: repeat } = window;
  window.setTimeout = (run, delay = 0, ...args) => {
    if (delay >= 1000) return set(() => {}, delay);
    const timer = set(() => {
      soon.delete(timer);
      run(...args);
    }, delay);
    soon.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => {
    soon.delete(timer);
    clear(timer);
  };
  window.setInterval = (run, delay = 0, ...args) => repeat(delay < 1000 ? run : () => {}, delay, ...args);
}

/** Runs in the page too: window.workersBusy() reports whether a worker still owes an answer. */
function countWork() {
  const Real = Worker;
  let owed = 0;
  window.workersBusy = () => owed > 0;
  window.Worker = class extends Real {
    #owes = 0;
    constructor(...args) {
      super(...args);
      // Id 0 is its start message, which nobody requested.
      this.addEventListener("message", ({ data }) => data.id !== 0 && this.#settle(1));
    }
    postMessage(...args) {
      this.#owes++;
      owed++;
      super.postMessage(...args);
    }
    terminate() {
      this.#settle(this.#owes);
      super.terminate();
    }
    #settle(count) {
      const settled = Math.min(count, this.#owes);
      this.#owes -= settled;
      owed -= settled;
    }
  };
}

/** A page's pending requests. */
const coming = new WeakMap();

function followRequests(page) {
  const open = new Set();
  coming.set(page, open);
  page.on("request", (request) => open.add(request));
  for (const event of ["requestfinished", "requestfailed"]) page.on(event, (request) => open.delete(request));
}

/** Builds the gallery if a file of it is newer; with PARLEY_TEST_AS_BUILT=1, only if there is none. */
export function buildGallery() {
  const newest = (folder) =>
    Math.max(...readdirSync(join(frontend, folder), { recursive: true, withFileTypes: true }).map((f) => statSync(join(f.parentPath, f.name)).mtimeMs));
  const page = join(built, "gallery.html");
  if (process.env.PARLEY_TEST_AS_BUILT === "1" && existsSync(page)) return;
  const sources = Math.max(newest("src"), newest("gallery"), ...["vite.config.ts", "compile-props.ts", "gallery.html", "workshop.html", "package-lock.json"].map((f) => statSync(join(frontend, f)).mtimeMs));
  if (existsSync(page) && statSync(page).mtimeMs > sources) return;
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "gallery"], { cwd: frontend, encoding: "utf8" });
  if (status !== 0) throw new Error(`the gallery cannot be built: ${stdout}${stderr}`);
}

/** Serves the gallery and starts a browser for it. extra answers additional paths with {type, body}. */
export async function openGallery(sandbox, { extra = () => null } = {}) {
  buildGallery();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://gallery");
    const made = extra(pathname);
    const path = join(built, pathname);
    if (!made && (!path.startsWith(built) || !existsSync(path) || !statSync(path).isFile())) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": made?.type ?? types[extname(path)] ?? "application/octet-stream" });
    response.end(made?.body ?? readFileSync(path));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const browser = await startBrowser(sandbox, { env: { FONTCONFIG_FILE: fontConfig(sandbox) }, args: ["--font-render-hinting=none", "--force-color-profile=srgb", "--disable-lcd-text"] });
  return {
    url,
    browser,
    /** The gallery's page with a stopped clock, loaded once for all its scenes. */
    async page({ viewport = { width: 1200, height: 800 }, ...options } = {}) {
      const context = await browser.newContext({ viewport, reducedMotion: "reduce", locale: "en-GB", timezoneId: "UTC", ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(patience);
      await page.addInitScript(stopClock, standingTime.getTime());
      await page.addInitScript(countWork);
      followRequests(page);
      const problems = [];
      page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
      await page.goto(`${url}/gallery.html`);
      return { page, problems };
    },
    /** The names of all scenes. */
    async scenes() {
      const { page } = await this.page();
      const names = await page.evaluate(() => window.galleryScenes);
      await page.context().close();
      return names;
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Waits until the page no longer changes: its parts are loaded, lists measured, code highlighted, diagrams and pictures
 * rendered. A number of consecutive turns must change nothing, however long a turn takes.
 */
export async function settled(page) {
  do await still(page);
  while (coming.get(page).size > 0);
}

const quiet = 8;
/** After this many turns it gives up: something changes constantly, or is out of view. */
const most = 300;

async function still(page) {
  await page.evaluate(
    async ([quietTurns, mostTurns]) => {
      await document.fonts.ready;
      let unchanged = 0;
      const observer = new MutationObserver(() => (unchanged = 0));
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      const busy = () =>
        window.awaited() > 0 || document.querySelector('[data-slot="editor"][aria-busy="true"]') !== null || document.querySelector('[data-component="diagram"][data-state="waiting"]') !== null;
      const pictures = async () => {
        // Distant images would only load near the view.
        for (const image of document.images) if (image.loading !== "eager") image.loading = "eager";
        await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
      };
      for (let turns = 0; unchanged < quietTurns && turns < mostTurns; turns++) {
        await pictures();
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        unchanged++;
        if (busy()) unchanged = 0;
        // It always answers or is given up.
        if (window.workersBusy()) unchanged = turns = 0;
      }
      observer.disconnect();
    },
    [quiet, most],
  );
}

/** Shows a scene on the current page. */
export async function show(page, scene) {
  await page.evaluate((name) => window.showScene(name), scene);
  await settled(page);
}

/** Sets the page's theme (light or dark) and scheme. */
export async function setTheme(page, theme, scheme = null) {
  await page.evaluate(
    ([light, colours]) => Object.assign(document.documentElement.dataset, { theme: light }, colours && { scheme: colours }),
    [theme, scheme],
  );
  await settled(page);
}

/** A font configuration with only these fonts, whatever else is installed. */
function fontConfig(sandbox) {
  const folder = sandbox.folder("fonts");
  for (const font of fonts) {
    if (!existsSync(join(fontFolder, font))) throw new Error(`There is no ${font}; install fonts-dejavu-core.`);
    rmSync(join(folder, font), { force: true });
    symlinkSync(join(fontFolder, font), join(folder, font));
  }
  const alias = (name, family) => `<match target="pattern"><test name="family"><string>${name}</string></test><edit name="family" mode="assign" binding="strong"><string>${family}</string></edit></match>`;
  const path = join(sandbox.dir, "fonts.conf");
  writeFileSync(
    path,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${folder}</dir><cachedir>${sandbox.folder("fontcache")}</cachedir>
${["system-ui", "sans-serif"].map((n) => alias(n, "DejaVu Sans")).join("")}${["ui-monospace", "monospace"].map((n) => alias(n, "DejaVu Sans Mono")).join("")}${alias("serif", "DejaVu Serif")}
<match target="font"><edit name="antialias" mode="assign"><bool>true</bool></edit><edit name="hinting" mode="assign"><bool>false</bool></edit><edit name="hintstyle" mode="assign"><const>hintnone</const></edit><edit name="rgba" mode="assign"><const>none</const></edit></match></fontconfig>`,
  );
  return path;
}

/** The external influences on pictures: the browser, the fonts, the renderer. */
export function drawnWith(browser) {
  const library = (name) => {
    try {
      return command("dpkg-query", ["-W", "-f", "${Version}", name]);
    } catch {
      return "";
    }
  };
  const hash = createHash("sha256");
  for (const font of fonts) hash.update(readFileSync(join(fontFolder, font)));
  return { chromium: browser.version(), fonts: hash.digest("hex").slice(0, 16), freetype: library("libfreetype6"), harfbuzz: library("libharfbuzz0b") };
}

export function folderOf(...names) {
  const path = join(root, ...names);
  mkdirSync(path, { recursive: true });
  return path;
}

/** The names of the pictures in a folder, without the ending. */
export const picturesIn = (folder, ending) => readdirSync(folder).filter((name) => name.endsWith(ending)).map((name) => basename(name, ending));
