// Completes sanitized markup for the user: scrollable tables, code to copy, footnote links in both directions,
// clickable pictures. Markup can't contain these safely, so they are added here.

import { text as words } from "../../i18n";
import { bringIntoView } from "../../lib/into-view";
import { writeClipboard } from "./CopyButton";

/** Completes the markup in an element. openPicture is called with a clicked picture's URL. */
export function finish(root: HTMLElement, openPicture: (src: string, alt: string) => void): void {
  for (const item of root.querySelectorAll("li")) nameItem(item);
  for (const pre of root.querySelectorAll("pre")) addCopyButton(pre);
  for (const table of root.querySelectorAll("table")) letScroll(table);
  for (const mark of root.querySelectorAll<HTMLElement>("sup.note-ref")) leadToNote(mark);
  for (const label of root.querySelectorAll<HTMLElement>("div.note > .note-label")) leadBack(label);
  for (const image of root.querySelectorAll("img")) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset["component"] = "picture";
    button.setAttribute("aria-label", words().blocks.openPicture(image.alt || words().blocks.picture));
    button.addEventListener("click", () => openPicture(image.src, image.alt));
    image.replaceWith(button);
    button.append(image);
  }
}

/** An item's style depends on its content. A :has() selector would be evaluated with every change of the page. */
function nameItem(item: HTMLElement): void {
  const inside = [...item.children];
  const isTask = (element: Element | undefined) => element?.matches(".task-done, .task-open") ?? false;
  if (inside.some((element) => element.localName === "p")) item.classList.add("loose");
  if (inside.some(isTask) || (inside[0]?.localName === "p" && [...inside[0].children].some(isTask))) item.classList.add("task");
}

function addCopyButton(pre: HTMLElement): void {
  const { copyCode, copied, copyFailed } = words().blocks;
  const frame = document.createElement("div");
  frame.dataset["slot"] = "nested-code";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words().common.copy;
  button.setAttribute("aria-label", copyCode);
  button.addEventListener("click", () => {
    void writeClipboard((pre.textContent ?? "").replace(/\n$/, "")).then((done) => {
      button.textContent = done ? copied : copyFailed;
    });
  });
  pre.replaceWith(frame);
  pre.tabIndex = 0;
  frame.append(pre, button);
}

function letScroll(table: HTMLElement): void {
  const frame = document.createElement("div");
  frame.dataset["slot"] = "table";
  // Scrollable by keyboard, so it is focusable and has a name.
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", words().blocks.table);
  table.replaceWith(frame);
  frame.append(table);
}

const whole = (element: Element) => element.closest('[data-component="markdown"]') ?? element;

function find(from: Element, selector: string, label: string): HTMLElement | undefined {
  return [...whole(from).querySelectorAll<HTMLElement>(selector)].find((found) => found.dataset["note"] === label);
}

function button(holder: HTMLElement, name: string, onClick: (label: string) => void): void {
  const label = holder.textContent ?? "";
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.dataset["note"] = label;
  made.setAttribute("aria-label", name);
  made.addEventListener("click", () => onClick(label));
  holder.replaceChildren(made);
}

function show(target: HTMLElement | undefined): void {
  if (target) bringIntoView(target, { block: "nearest" });
  target?.focus({ preventScroll: true });
}

function leadToNote(mark: HTMLElement): void {
  button(mark, words().blocks.note(mark.textContent ?? ""), (label) => show(find(mark, ".note-label > button", label)));
}

function leadBack(mark: HTMLElement): void {
  button(mark, words().blocks.backToText(mark.textContent ?? ""), (label) => show(find(mark, ".note-ref > button", label)));
}
