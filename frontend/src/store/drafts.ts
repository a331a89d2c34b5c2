// What is being written. The text outlives a reload of the page and a restart of
// the program; attachments do not, they are too large for that.

import { emptyDraft, type AppState, type Draft } from "./state";

const key = "parley.drafts";
const maxDrafts = 50;
const maxText = 100_000;

/** Reads the saved texts. A browser that keeps nothing has none. */
export function readDrafts(storage: Pick<Storage, "getItem"> = localStorage): Record<string, Draft> {
  try {
    const texts: unknown = JSON.parse(storage.getItem(key) ?? "{}");
    if (typeof texts !== "object" || texts === null) return {};
    return Object.fromEntries(
      Object.entries(texts)
        .filter((entry): entry is [string, string] => typeof entry[1] === "string")
        .map(([id, text]) => [id, { ...emptyDraft(), text }]),
    );
  } catch {
    return {};
  }
}

/** Saves the texts, the newest ones when there are too many. */
export function writeDrafts(drafts: AppState["drafts"], storage: Pick<Storage, "setItem"> = localStorage): void {
  const texts = Object.entries(drafts)
    .filter(([, draft]) => draft.text !== "" && draft.text.length <= maxText)
    .slice(-maxDrafts)
    .map(([id, draft]) => [id, draft.text]);
  try {
    storage.setItem(key, JSON.stringify(Object.fromEntries(texts)));
  } catch {
    // A full or forbidden storage costs the draft only when the page is reloaded.
  }
}
