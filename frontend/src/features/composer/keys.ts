// What the keys do in the box, in the order of who may have them.

import { isComposing } from "../../lib/keys";
import type { Recall } from "./recall";
import type { Delivery } from "./SendButtons";
import type { ShellMode } from "./shellmode";

export interface BoxKeys {
  /** Those that may be open above the box, and take keys then. */
  menus: readonly { key(event: KeyboardEvent): boolean }[];
  text(): string;
  busy(): boolean;
  first(): Delivery;
  send(delivery: Delivery): void;
  shell: ShellMode;
  /** Whether the text goes to the question above the box, and its way there. */
  saying(): boolean;
  say(): void;
  nextMode(): void;
  /** Whether a question waits above the box: Shift+Tab is the way to it then. */
  asked(): boolean;
  editNewest(): boolean;
  recall: Recall;
  /** Puts a text in the place of all that the box has. */
  putAll(text: string): void;
  /** What the CLI guesses that comes next, shown in the empty box; "" for nothing. */
  suggestion(): string;
  /** Looks for earlier prompts. */
  search(): void;
}

export function createKeys(box: BoxKeys): (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => void {
  function goTo(event: KeyboardEvent, text: string | undefined | Promise<string | undefined>): void {
    if (text === undefined) return;
    event.preventDefault();
    if (typeof text === "string") {
      box.putAll(text);
      return;
    }
    const shown = box.text();
    // Whoever types on meanwhile does not want it any more.
    void text.then((read) => read !== undefined && box.text() === shown && box.putAll(read));
  }

  /** Esc: what the shell does ends before a turn does. */
  function escape(event: KeyboardEvent): void {
    const running = box.shell.running();
    if (running !== undefined && !box.busy()) box.shell.stop(running);
    else if (box.text() === "!") box.putAll("");
    else return;
    event.preventDefault();
  }

  return (event) => {
    if (isComposing(event) || box.menus.some((menu) => menu.key(event))) return;
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (box.saying()) {
        // With Ctrl it is the key that allows, which words are not meant to.
        if (event.repeat || event.ctrlKey || event.metaKey) return;
        if (event.altKey) box.send("queue");
        else box.say();
        return;
      }
      const second: Delivery = box.first() === "now" ? "queue" : "now";
      // A key that is held down sends once.
      if (!event.repeat) box.send(event.altKey ? second : box.first());
    } else if (event.key === "Tab" && event.shiftKey && !box.asked()) {
      event.preventDefault();
      box.nextMode();
    } else if ((event.key === "Tab" || event.key === "ArrowRight") && plain && box.text() === "" && box.suggestion() !== "") {
      event.preventDefault();
      box.putAll(box.suggestion());
    } else if (event.key === "ArrowUp" && plain) {
      if (box.text() === "" && box.editNewest()) event.preventDefault();
      else goTo(event, box.recall.older(box.text()));
    } else if (event.key === "ArrowDown" && plain) {
      goTo(event, box.recall.newer(box.text()));
    } else if (event.key.toLowerCase() === "r" && event.ctrlKey && !event.shiftKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      box.search();
    } else if (event.key === "Escape" && plain) {
      escape(event);
    }
  };
}
