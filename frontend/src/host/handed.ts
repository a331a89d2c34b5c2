// What the window's document carries for this script alone: the secret of its calls, and
// the answers to the first ones, so that the page need not ask before it can be drawn. It
// is read before anything else runs, and taken out of the document.

import { field } from "../lib/shape";

export interface Handed {
  /** Without it no call is carried out. */
  pass: string;
  /** By the method and its parameters. */
  answers: Map<string, unknown>;
}

/** Takes it; a page elsewhere, or in a frame, has none. */
export function takeHanded(from: Document = document): Handed {
  const element = from.getElementById("handed");
  element?.remove();
  try {
    const data: unknown = JSON.parse(element?.textContent ?? "{}");
    const pass = field(data, "pass");
    const answers = field(data, "answers");
    return {
      pass: typeof pass === "string" ? pass : "",
      answers: new Map(typeof answers === "object" && answers !== null ? Object.entries(answers) : []),
    };
  } catch {
    return { pass: "", answers: new Map() };
  }
}
