// What a prompt takes with it: files that are chosen or dropped, and what is pasted.

import { text } from "../../i18n";
import type { Actions } from "../../store/actions";
import { countLines, isLong, textOf, toAttachment } from "../../store/pasted";
import type { DraftAttachment } from "../../store/state";
import { attach } from "./attach";

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

export function createTaking(actions: Actions, id: () => string, box: Box) {
  async function take(files: Iterable<File>): Promise<void> {
    const sessionId = id();
    const { attachments, error } = await attach([...files], box.attached());
    actions.addAttachments(sessionId, attachments, error);
    box.focus();
  }

  return {
    take,
    onPaste(event: ClipboardEvent): void {
      const files = [...(event.clipboardData?.files ?? [])];
      const types = event.clipboardData?.types ?? [];
      // A copied table or page comes as text and as a picture of it: the text is what was meant.
      if (types.includes("text/plain")) {
        const pasted = event.clipboardData?.getData?.("text/plain") ?? "";
        if (box.plain() || !isLong(pasted)) return;
        event.preventDefault();
        actions.addAttachments(id(), [toAttachment(pasted, text().composer.pasted(countLines(pasted)))], "");
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
