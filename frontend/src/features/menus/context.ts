// The entries of the context menu for an element.

import { text } from "../../i18n";
import { safeHref } from "../../lib/links";
import { offered } from "../../lib/offers";
import { contentOf } from "../../lib/object-url";

interface ContextEntry {
  id: string;
  label: string;
  enabled: boolean;
}

/** The actions of entries that the page runs itself. */
type ContextAct =
  | { kind: "copy"; text: () => string }
  | { kind: "open"; href: string }
  | { kind: "save"; name: string; content: Blob };

export interface Context {
  /** Groups, with separators between them. */
  groups: ContextEntry[][];
  acts: Map<string, ContextAct>;
}

const notText = new Set(["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "submit"]);

type Field = HTMLInputElement | HTMLTextAreaElement;

function fieldAt(target: Element): Field | null {
  const field = target.closest<Field>("input, textarea");
  return field && !notText.has(field.type) ? field : null;
}

/** Placeholder for spelling suggestions. Without suggestions, its group is omitted. */
const spelling = "spelling";

/** can reports whether undo or redo is available. */
export function contextAt(target: Element, can: (command: "undo" | "redo") => boolean): Context {
  const acts: Context["acts"] = new Map();
  const field = fieldAt(target);
  if (field) return { groups: editing(field, can), acts };

  const words = text().menus;
  const add = (id: string, label: string, act: ContextAct): ContextEntry => {
    acts.set(id, act);
    return { id, label, enabled: true };
  };
  const groups = [
    (getSelection()?.toString() ?? "") === "" ? [] : [{ id: "copy", label: words.copy, enabled: true }],
    linkEntries(target, add),
    pictureEntries(target, add),
    textEntries(target, add),
  ];
  return { groups: groups.filter((group) => group.length > 0), acts };
}

type Add = (id: string, label: string, act: ContextAct) => ContextEntry;

function editing(field: Field, can: (command: "undo" | "redo") => boolean): ContextEntry[][] {
  const words = text().menus;
  const changes = !field.readOnly && !field.disabled;
  // Some field types do not expose their selection; those are short.
  const selected = field.selectionStart === null || field.selectionStart !== field.selectionEnd;
  const copies = selected && field.value !== "" && field.type !== "password";
  const all = field.value !== "" && !(field.selectionStart === 0 && field.selectionEnd === field.value.length);
  return [
    // Both need a selected word.
    [{ id: spelling, label: "", enabled: true }, { id: "ignoreSpelling", label: words.ignoreSpelling, enabled: true }, { id: "learnSpelling", label: words.learnSpelling, enabled: true }],
    [
      { id: "undo", label: words.undo, enabled: changes && can("undo") },
      { id: "redo", label: words.redo, enabled: changes && can("redo") },
    ],
    [
      { id: "cut", label: words.cut, enabled: changes && copies },
      { id: "copy", label: words.copy, enabled: copies },
      // The window knows whether there is something to paste.
      { id: "paste", label: words.paste, enabled: changes },
    ],
    [{ id: "selectAll", label: words.selectAll, enabled: all }],
  ];
}

function linkEntries(target: Element, add: Add): ContextEntry[] {
  const words = text().menus;
  const link = target.closest("a[href]");
  const href = link && safeHref(link.getAttribute("href") ?? "");
  if (!href) return [];
  const mail = /^mailto:([^?]*)/.exec(href)?.[1];
  if (mail === undefined) return [add("openLink", words.openLink, { kind: "open", href }), add("copyLink", words.copyLink, { kind: "copy", text: () => href })];
  return [add("openLink", words.writeMail, { kind: "open", href }), add("copyLink", words.copyMail, { kind: "copy", text: () => decoded(mail) })];
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

function pictureEntries(target: Element, add: Add): ContextEntry[] {
  const words = text().menus;
  const picture = offered(target, "picture")?.();
  const content = picture && contentOf(picture.src);
  if (!content) return [];
  return [
    { id: "copyImage", label: words.copyImage, enabled: true },
    add("saveImage", words.saveImage, { kind: "save", name: picture.name, content }),
  ];
}

function textEntries(target: Element, add: Add): ContextEntry[] {
  const code = offered(target, "code") ?? plainCode(target);
  const message = offered(target, "message");
  const entries: ContextEntry[] = [];
  if (code) entries.push(add("copyCode", text().blocks.copyCode, { kind: "copy", text: code }));
  // There may be none yet.
  if (message?.()) entries.push(add("copyMessage", text().menus.copyMessage, { kind: "copy", text: () => message() ?? "" }));
  return entries;
}

/** Code that is displayed verbatim. */
function plainCode(target: Element): (() => string) | undefined {
  const code = target.closest("pre, code");
  const words = code?.textContent ?? "";
  return words.trim() === "" ? undefined : () => words;
}
