// The box's keys, in order of precedence.

import { isComposing } from "../../lib/keys";
import type { Recall } from "./recall";
import type { Delivery } from "./SendButtons";
import type { ShellMode } from "./shellmode";

export interface BoxKeys {
  /** The menus above the box, which take keys while open. */
  menus: readonly { key(event: KeyboardEvent): boolean }[];
  text(): string;
  busy(): boolean;
  first(): Delivery;
  send(delivery: Delivery): void;
  shell: ShellMode;
  /** Whether the text goes to the request above the box, and how. */
  saying(): boolean;
  say(): void;
  nextMode(): void;
  /** Whether a request is open above the box: Shift+Tab then moves to it. */
  asked(): boolean;
  editNewest(): boolean;
  recall: Recall;
  /** Replaces the whole text of the box. */
  putAll(text: string): void;
  /** The CLI's suggested next prompt, shown in the empty box; "" for none. */
  suggestion(): string;
  /** Searches earlier prompts. */
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
    // Skip if the user has typed something since.
    void text.then((read) => read !== undefined && box.text() === shown && box.putAll(read));
  }

  /** Esc: a shell command is stopped before a turn. */
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
        // With Ctrl it is the allow key, which must not send text.
        if (event.repeat || event.ctrlKey || event.metaKey) return;
        if (event.altKey) box.send("queue");
        else box.say();
        return;
      }
      const second: Delivery = box.first() === "now" ? "queue" : "now";
      // Holding the key sends only once.
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
