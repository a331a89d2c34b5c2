// axe-core over every scene of the gallery, light, dark and in high contrast: no
// violation of WCAG 2.0 to 2.2, levels A and AA, nor of the practices named here. Then
// what axe cannot see: nothing is lost at 320 px, at twice the size and with the
// text spacing of WCAG, and everything can be told apart with forced colours.
//
//   node frontend/e2e/axe.mjs [scene…]

import { join } from "node:path";
import { violations } from "./kit/axe.mjs";
import { Suite, truth } from "./kit/checks.mjs";
import { openGallery, setTheme, settled } from "./kit/gallery.mjs";
import { Sandbox } from "./kit/sandbox.mjs";

const workers = 3;
const size = { width: 1200, height: 800 };

const asked = process.argv.slice(2);
const sandbox = new Sandbox("axe");
const suite = new Suite();
const gallery = await openGallery(sandbox);
try {
  const { page } = await gallery.page();
  const scenes = (await gallery.scenes(page)).filter((scene) => asked.length === 0 || asked.includes(scene));
  await page.context().close();

  await suite.check(`axe finds nothing in ${scenes.length} scenes, light and dark`, async () => {
    const found = await through(scenes, async (page, scene) => {
      await gallery.show(page, scene);
      const wrong = [];
      for (const theme of ["light", "dark"]) {
        await setTheme(page, theme);
        // What a scene is made of does not depend on its colours.
        wrong.push(...(await violations(page, theme === "light" ? null : ["color-contrast"])).map((words) => `${scene}, ${theme}: ${words}`));
      }
      return wrong;
    });
    truth(found.length === 0, report(found));
  }, { timeout: 900_000 });

  await suite.check("nor in high contrast", async () => {
    const some = scenes.filter((scene) => /^(chat|question-.*|settings-look|usage|files|search|parts-timeline.*)$/.test(scene));
    const found = await through(some, async (page, scene) => {
      const wrong = [];
      await gallery.show(page, scene, "&scheme=contrast");
      for (const theme of ["light", "dark"]) {
        await setTheme(page, theme);
        wrong.push(...(await violations(page, ["color-contrast"])).map((words) => `${scene}, ${theme}: ${words}`));
      }
      return wrong;
    });
    truth(found.length === 0, report(found));
  });

  const narrow = scenes.filter((scene) => !scene.startsWith("parts-"));
  await suite.check("nothing is lost at 320 px", async () => {
    const found = await through(narrow, async (page, scene) => {
      await gallery.show(page, scene);
      return (await lost(page)).map((words) => `${scene}: ${words}`);
    }, { viewport: { width: 320, height: 640 } });
    truth(found.length === 0, report(found));
  });

  await suite.check("nor with the text spacing of WCAG", async () => {
    const found = await through(narrow.filter((scene) => /^(chat|question-.*|settings-look|newsession|switcher|start|files|search)$/.test(scene)), async (page, scene) => {
      await gallery.show(page, scene);
      await page.addStyleTag({ content: "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }" });
      await settled(page);
      return (await lost(page)).map((words) => `${scene}: ${words}`);
    });
    truth(found.length === 0, report(found));
  });

  await suite.check("forced colours leave the focus, the states and the pictures' edges to be seen", async () => {
    const { page } = await gallery.page({ forcedColors: "active" });
    await gallery.show(page, "chat");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    truth(outline !== "none", "what has the focus has no outline");
    await page.screenshot({ path: join(sandbox.artefacts, "forced-colours.png") });
    await page.context().close();
  });
} finally {
  await gallery.close();
  await sandbox.close();
}
process.exitCode = suite.end();

/** Does something with every scene, on several pages at once; returns all that was found. */
async function through(scenes, look, options = {}) {
  const queue = [...scenes];
  const found = [];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const { page } = await gallery.page({ viewport: size, ...options });
      for (let scene = queue.shift(); scene; scene = queue.shift()) found.push(...(await look(page, scene)));
      await page.context().close();
    }),
  );
  return found;
}

/** Controls and texts that cannot be reached or read any more: outside of the window, with nothing that scrolls there. */
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

/** The most of it that is worth reading at once. */
function report(found) {
  return `${found.length} things:\n${found.slice(0, 40).join("\n")}`;
}
