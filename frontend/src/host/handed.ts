// Data in the window's document for this script only: the secret for calls, and the answers to the first ones, so that
// the page can render without asking. It is read before anything else runs, and removed from the document.

import { field } from "../lib/shape";

export interface Handed {
  /** No call is accepted without it. */
  pass: string;
  /** Keyed by method and parameters. */
  answers: Map<string, unknown>;
}

/** Reads and removes it; other pages and frames have none. */
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
