// Attachments of a prompt: files chosen or dropped, and pasted content.

import { text } from "../../i18n";
import type { Handed, Handing } from "../../host/handing";
import { messageOf } from "../../host/host";
import type { Actions } from "../../store/actions";
import { countLines, isLong, textOf, toAttachment } from "../../store/pasted";
import type { DraftAttachment } from "../../store/state";
import { attach } from "./attach";
import { attachHanded, whyNothing } from "./handed";

/** What it needs from the composer. */
export interface Box {
  /** The number of attachments. */
  attached(): number;
  /** Whether pasted text stays inline, however long. */
  plain(): boolean;
  /** Replaces the selection. */
  insert(value: string): void;
  focus(): void;
}

export function createAttaching(actions: Actions, id: () => string, box: Box, handing?: Handing) {
  async function take(files: Iterable<File>): Promise<void> {
    const sessionId = id();
    const { attachments, error } = await attach([...files], box.attached());
    actions.addAttachments(sessionId, attachments, error);
    box.focus();
  }

  /** Attaches a text that is so long that it would hide the prompt around it. */
  function putAside(pasted: string): boolean {
    if (box.plain() || !isLong(pasted)) return false;
    actions.addAttachments(id(), [toAttachment(pasted, text().composer.pasted(countLines(pasted)))], "");
    return true;
  }

  /** Attaches files that the program read. */
  async function takeHanded(from: Handing, asked: Promise<Handed>): Promise<void> {
    const sessionId = id();
    try {
      const handed = await asked;
      if (handed.text && !putAside(handed.text)) box.insert(handed.text);
      const why = whyNothing(handed);
      if (why) actions.addAttachments(sessionId, [], why);
      // One by one: each is shown as soon as it is read, and only one is in memory twice.
      for await (const { attachments, error } of attachHanded(from, handed, box.attached())) actions.addAttachments(sessionId, attachments, error);
    } catch (error) {
      actions.addAttachments(sessionId, [], messageOf(error));
    }
    box.focus();
  }

  return {
    take,
    takeHanded,
    onPaste(event: ClipboardEvent): void {
      const files = [...(event.clipboardData?.files ?? [])];
      const types = event.clipboardData?.types ?? [];
      const pasted = event.clipboardData?.getData?.("text/plain") ?? "";
      // WebKitGTK often provides text without its type.
      const words = pasted !== "" || types.includes("text/plain");
      // Copied files include their paths as text, which a shell wants.
      const listed = types.includes("text/uri-list") && !box.plain();
      if (handing && files.length === 0 && (!words || listed)) {
        event.preventDefault();
        void takeHanded(handing, handing.paste());
      } else if (words) {
        // A copied table or page contains text and an image of it: the text is meant.
        if (putAside(pasted)) event.preventDefault();
      } else if (files.length > 0) {
        event.preventDefault();
        void take(files);
      }
    },
    /** Moves a long pasted text into the box. */
    unfold(item: DraftAttachment): void {
      actions.removeAttachment(id(), item.id);
      box.insert(textOf(item));
    },
  };
}
