/* oxlint-disable no-control-regex -- control characters are what this file is about */

// What programs write for a terminal, made fit for a page: colours become names
// (the style sheet knows them), everything else that steers a terminal is left
// out, and lines that were overwritten (progress bars) show their last state.

import Anser from "anser";

export interface AnsiRun {
  text: string;
  /** "red", "bright-red"…, "" for the ordinary colour. */
  color: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

// Everything from ESC on that is not a colour: OSC (titles, links), DCS and its
// kin, other CSI, two-character escapes.
const OSC = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)/g;
const CSI = /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~]|$)/g;
const SHORT = /\u001b(?!\[)[ -/]*[0-Z\\^-~]?/g;
const BACKSPACES = /[^\n\b]\u0008/g;
const CONTROLS = /[\u0000-\u0007\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

/** Leaves the colours in and takes every other control out. */
function clean(text: string): string {
  const plain = text
    .replace(OSC, "")
    .replace(CSI, (_, args: string, end: string) => (end === "m" && /^[\d;]*$/.test(args) ? `\u001b[${args}m` : ""))
    .replace(SHORT, "")
    .replace(/\r+\n/g, "\n");
  const lines = plain.includes("\r") ? plain.split("\n").map(overwritten).join("\n") : plain;
  return lines.replace(BACKSPACES, "").replaceAll("\b", "").replace(CONTROLS, "");
}

// Of what was written over itself the last part that says something stays.
function overwritten(line: string): string {
  const parts = line.split("\r");
  return parts.findLast((part) => part !== "") ?? "";
}

/** The text without colours. */
export function stripAnsi(text: string): string {
  return clean(text).replace(CSI, "");
}

/** The text in runs of one look each. */
export function parseAnsi(text: string): AnsiRun[] {
  const cleaned = clean(text);
  if (!cleaned.includes("\u001b")) return cleaned === "" ? [] : [run(cleaned)];
  return Anser.ansiToJson(cleaned, { use_classes: true, remove_empty: true }).map((entry) => ({
    ...run(entry.content),
    color: /^ansi-(?!palette|truecolor)([a-z-]+)$/.exec(entry.fg ?? "")?.[1] ?? "",
    bold: entry.decorations.includes("bold"),
    dim: entry.decorations.includes("dim"),
    italic: entry.decorations.includes("italic"),
    underline: entry.decorations.includes("underline"),
  }));
}

function run(text: string): AnsiRun {
  return { text, color: "", bold: false, dim: false, italic: false, underline: false };
}
