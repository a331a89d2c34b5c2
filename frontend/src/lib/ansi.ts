// Converts terminal output for the page: the text a terminal would show at the end, with colors as names or numbers,
// and no control sequences.

import { type Look, plainLook, Screen } from "./screen";

export interface AnsiRun extends Look {
  text: string;
}

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

function screenOf(text: string): Screen {
  const screen = new Screen();
  screen.write(text.replaceAll(/\r+\n/g, "\n"));
  return screen;
}

/** The text without colors. */
export function stripAnsi(text: string): string {
  return parseAnsi(text).map((run) => run.text).join("");
}

/** The text as runs of the same style. */
export function parseAnsi(text: string): AnsiRun[] {
  if (!STEERS.test(text)) return text === "" ? [] : [{ text, ...plainLook }];
  const runs: AnsiRun[] = [];
  screenOf(text).read((part, look) => {
    const run = runs.at(-1);
    if (run && sameLook(run, look)) run.text += part;
    else runs.push({ text: part, ...look });
  });
  return runs;
}

function sameLook(a: Look, b: Look): boolean {
  return a.color === b.color && a.bold === b.bold && a.dim === b.dim && a.italic === b.italic && a.underline === b.underline;
}
