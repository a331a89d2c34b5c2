// What a prompt takes with it: files that are chosen or dropped, and what is pasted.

import { text } from "../../i18n";
import type { Handed, Handing } from "../../host/handing";
import { messageOf } from "../../host/host";
import type { Actions } from "../../store/actions";
import { countLines, isLong, textOf, toAttachment } from "../../store/pasted";
import type { DraftAttachment } from "../../store/state";
import { attach } from "./attach";
import { attachHanded, whyNothing } from "./handed";

/** What it needs of the composer. */
export interface Box {
  /** How many attachments there are. */
  attached(): number;
  /** Whether what is pasted stays as it is, however long. */
  plain(): boolean;
  /** Writes in place of the selection. */
  insert(value: string): void;
  focus(): void;
}

export function createTaking(actions: Actions, id: () => string, box: Box, handing?: Handing) {
  async function take(files: Iterable<File>): Promise<void> {
    const sessionId = id();
    const { attachments, error } = await attach([...files], box.attached());
    actions.addAttachments(sessionId, attachments, error);
    box.focus();
  }

  /** Puts a text aside that is so long that it would hide what is written around it. */
  function putAside(pasted: string): boolean {
    if (box.plain() || !isLong(pasted)) return false;
    actions.addAttachments(id(), [toAttachment(pasted, text().composer.pasted(countLines(pasted)))], "");
    return true;
  }

  /** Takes what the program has from another one. */
  async function takeHanded(from: Handing, asked: Promise<Handed>): Promise<void> {
    const sessionId = id();
    try {
      const handed = await asked;
      if (handed.text && !putAside(handed.text)) box.insert(handed.text);
      const why = whyNothing(handed);
      if (why) actions.addAttachments(sessionId, [], why);
      // One after the other: each is shown as soon as it is there, and only one is in memory twice.
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
      // WebKitGTK often gives a text without its type.
      const words = pasted !== "" || types.includes("text/plain");
      // Copied files come with their paths as text, which is what a shell wants.
      const listed = types.includes("text/uri-list") && !box.plain();
      if (handing && files.length === 0 && (!words || listed)) {
        event.preventDefault();
        void takeHanded(handing, handing.paste());
      } else if (words) {
        // A copied table or page comes as text and as a picture of it: the text is what was meant.
        if (putAside(pasted)) event.preventDefault();
      } else if (files.length > 0) {
        event.preventDefault();
        void take(files);
      }
    },
    /** Puts a long text that was pasted into the box itself. */
    unfold(item: DraftAttachment): void {
      actions.removeAttachment(id(), item.id);
      box.insert(textOf(item));
    },
  };
}
