// Renders Mermaid diagrams as images. The library is large and is loaded with the first diagram that comes into view.
// It runs in a hidden frame, because it has to measure text and write styles; its output is sanitized and only shown as
// an image, which can't run, load or link to anything. One diagram at a time.

import type { MermaidConfig } from "mermaid";
import { text } from "../../i18n";
import type { Workshop } from "./workshop";

const mostText = 20_000;
const mostKept = 40;
/** How long the frame is kept for the next diagram. */
const frameRests = 30_000;

export type Drawing = { ok: true; svg: string; width: number; height: number } | { ok: false; why: string };

// Settings that no diagram may change.
const secure = [
  "secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "htmlLabels", "flowchart", "class", "state", "themeCSS", "themeVariables", "theme", "fontFamily",
  "altFontFamily", "dompurifyConfig", "suppressErrorRendering", "deterministicIds", "legacyMathML", "forceLegacyMathML",
];

/**
 * The colors of the page's default scheme (styles/tokens.css), in a format the library can compute with. It derives the
 * rest from these; the ones at the end distinguish adjacent parts.
 */
function colours(dark: boolean): Record<string, string | boolean> {
  const [page, fill, other, edge, line, words] = dark
    ? ["#181715", "#2a2826", "#22211f", "#57534e", "#a8a39d", "#ebe8e4"]
    : ["#fdfcfb", "#f3f1ee", "#faf8f6", "#c4bfb8", "#6f6a64", "#282521"];
  const apart = dark ? ["#8f8fe0", "#4fa39d", "#d19a56", "#d07fa4", "#6f9fd8", "#9a958e"] : ["#8b8ad6", "#5bb0a8", "#e0aa68", "#d98fb0", "#7fa8dc", "#aaa49c"];
  return {
    darkMode: dark, background: page, mainBkg: fill, primaryColor: fill, secondaryColor: other, tertiaryColor: other,
    primaryBorderColor: edge, secondaryBorderColor: edge, tertiaryBorderColor: edge, nodeBorder: edge, clusterBkg: other, clusterBorder: edge,
    primaryTextColor: words, secondaryTextColor: words, tertiaryTextColor: words, textColor: words, titleColor: words, nodeTextColor: words,
    lineColor: line, edgeLabelBackground: page, noteBkgColor: other, noteBorderColor: edge, noteTextColor: words,
    actorBkg: fill, actorBorder: edge, actorTextColor: words, signalColor: line, signalTextColor: words, labelBoxBkgColor: fill, labelTextColor: words,
    fontSize: "14px",
    ...Object.fromEntries(apart.flatMap((colour, i) => [[`pie${i + 1}`, colour], [`git${i}`, colour]])),
    pieTitleTextColor: words, pieLegendTextColor: words, pieStrokeColor: page, pieOuterStrokeColor: edge, pieSectionTextColor: dark ? "#181715" : "#282521",
  };
}

function settings(dark: boolean): MermaidConfig {
  return {
    startOnLoad: false,
    securityLevel: "strict",
    secure,
    maxTextSize: mostText,
    maxEdges: 400,
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    class: { htmlLabels: false, useMaxWidth: false },
    state: { htmlLabels: false, useMaxWidth: false } as MermaidConfig["state"],
    suppressErrorRendering: true,
    theme: "base",
    themeVariables: colours(dark),
    // The page measures with the same font as the image shows.
    fontFamily: "system-ui, sans-serif",
    deterministicIds: true,
  };
}

/**
 * Removes everything that looks like markup from the source: the library measures some labels as HTML before sanitizing
 * them, and only the page's content security policy would protect against it. Line breaks and <<stereotypes>> stay.
 * Link menus are removed: images are not clickable.
 */
export function withoutMarkup(source: string): string {
  const linkless = /^\s*sequenceDiagram/m.test(source) ? source.replace(/^[ \t]*links?[ \t]+[^:\n]*:.*$/gim, "") : source;
  const plain = linkless.replace(/(?:&#|[&#])(?:lt|x0*3c|0*60)(?!\w);?/gi, "‹");
  return plain.replace(/<(?=[a-z!/?])(?!br\s*\/?>)/gi, (sign: string, at: number) =>
    plain[at - 1] === "<" && /^<[a-z][\w-]{0,40}>>/i.test(plain.slice(at)) ? sign : "‹",
  );
}

const kept = new Map<string, Drawing>();
let last: Promise<unknown> = Promise.resolve();
let count = 0;

/** Renders a diagram in light or dark, or returns why it can't. */
export async function drawDiagram(source: string, dark: boolean): Promise<Drawing> {
  if (source.length > mostText) return { ok: false, why: text().blocks.diagramTooLong };
  // The library would load a node's image while rendering.
  if (/@\{[^}]*(?:img|\\)/i.test(source)) return { ok: false, why: text().blocks.diagramLoads };
  const key = `${dark ? "d" : "l"}${source}`;
  const known = kept.get(key);
  if (known) return known;
  const made = last.then(() => kept.get(key) ?? draw(source, dark));
  last = made.catch(() => undefined);
  const drawing = await made;
  kept.set(key, drawing);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value ?? "");
  return drawing;
}

async function draw(source: string, dark: boolean): Promise<Drawing> {
  clearTimeout(closing);
  try {
    const made = await (await open()).render(`diagram-${++count}`, withoutMarkup(source), settings(dark));
    if ("why" in made) return { ok: false, why: short(made.why) };
    if (made.svg === null) return { ok: false, why: text().blocks.diagramEmpty };
    return { ok: true, svg: made.svg, ...sizeOf(made.svg) };
  } catch (error) {
    return { ok: false, why: short(error instanceof Error ? error.message : String(error)) };
  } finally {
    closing = setTimeout(close, frameRests);
  }
}

/** The first line of the library's error, with the position. The list of expected tokens means nothing to a user. */
const short = (why: string) => (why.split("\n", 1)[0] ?? "").replace(/:\s*$/, "").slice(0, 300);

let frame: HTMLIFrameElement | undefined;
let closing: ReturnType<typeof setTimeout> | undefined;

/** The frame's workshop, once it is loaded. */
async function open(): Promise<Workshop> {
  if (frame?.contentWindow?.workshop) return frame.contentWindow.workshop;
  close();
  const made = document.createElement("iframe");
  made.dataset["component"] = "diagram-workshop";
  made.title = text().blocks.diagram;
  made.setAttribute("aria-hidden", "true");
  made.inert = true;
  made.tabIndex = -1;
  frame = made;
  await new Promise((resolve) => {
    made.addEventListener("load", resolve, { once: true });
    made.src = "/workshop.html";
    document.body.append(made);
  });
  const workshop = made.contentWindow?.workshop;
  if (!workshop) {
    close();
    throw new Error(text().blocks.diagramFrame);
  }
  return workshop;
}

function close(): void {
  frame?.remove();
  frame = undefined;
}

function sizeOf(svg: string): { width: number; height: number } {
  const [, , width, height] = (/viewBox="([^"]*)"/.exec(svg)?.[1] ?? "").split(/[\s,]+/).map(Number);
  const bounded = (n: number | undefined) => (n !== undefined && n > 0 && n < 20_000 ? Math.ceil(n) : 0);
  return { width: bounded(width), height: bounded(height) };
}
